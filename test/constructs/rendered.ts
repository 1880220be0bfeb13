import { App, Chart, Testing } from "cdk8s";
import type { Construct } from "constructs";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";

/** Any Kubernetes object or part of one, for inspection. */
export interface Part {
  readonly [key: string]: Part;
  readonly [index: number]: Part;
}

type Props = ClusterDnsProps;

/** Renders a construct, with this id, of a cluster with these props and what differs from them. */
export function rendererOf(Of: new (scope: Construct, id: string, props: Props) => unknown, id: string, usual: Props) {
  return (more: Partial<Props> = {}) => render((chart) => new Of(chart, id, { ...usual, ...more }));
}

/** The objects of what `fill` puts into a chart, as applied; `object("Service", "kube-dns")` is one of them. */
export function render(fill: (chart: Construct) => unknown) {
  const chart = new Chart(new App(), "test", { disableResourceNameHashes: true });
  fill(chart);
  const objects = Testing.synth(chart) as Part[];

  const named = (kind: string, name: string | RegExp) => {
    const whole = new RegExp(`^${typeof name === "string" ? name.replaceAll(".", "\\.") : name.source}$`);
    return objects.filter((each) => String(each.kind) === kind && whole.test(String(each.metadata?.name)));
  };
  const object = (kind: string, name: string | RegExp): Part => {
    const [found, ...others] = named(kind, name);
    if (!found || others.length > 0) throw new Error(`not one object ${kind} ${String(name)}`);
    return found;
  };
  const pod = (kind: string, name: string): Part => {
    const spec = object(kind, name).spec?.template?.spec;
    if (!spec) throw new Error(`${kind} ${name} has no pods`);
    return spec;
  };
  const container = (kind: string, name: string): Part => {
    const first = pod(kind, name).containers?.[0];
    if (!first) throw new Error(`${kind} ${name} has no container`);
    return first;
  };
  return {
    objects,
    names: objects.map(({ kind, metadata }) => `${String(kind)} ${String(metadata?.name)}`),
    /** The one object of this kind and name. */
    object,
    has: (kind: string, name: string | RegExp) => named(kind, name).length > 0,
    /** The spec of a workload's pods. */
    pod,
    /** The first container of a workload's pods. */
    container,
  };
}
