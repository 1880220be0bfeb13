import { renderCluster } from "../../src/charts/render-cluster";
import { resolve } from "../../src/model/check/resolve";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";
import { toYaml, type Comments, type Json } from "../../src/output/yaml";
import { patch } from "./patch";
import type { Row } from "./rows";

/** What a row's golden file holds: the cluster file as a comment, then its objects as in dist/, or what changes in them. */
export function golden({ props, beside }: Row): string {
  const head = toYaml(props as unknown as Json).trimEnd();
  const { objects, remarks } = render(props);
  const whole = (object: Rendered) => toYaml(object as unknown as Json, remarks.get(object));
  if (!beside) return [comment(head), ...objects.map(whole)].join("---\n");

  const before = new Map(render(beside.props).objects.map((object) => [identity(object), object]));
  const after = new Set(objects.map(identity));
  const gone = [...before.keys()].filter((each) => !after.has(each));
  const changed = objects.flatMap((object) => {
    const was = before.get(identity(object));
    if (!was) return [whole(object)];
    const change = patch(was as unknown as Json, object as unknown as Json);
    return change ? [toYaml({ kind: object.kind, name: object.metadata?.name, ...(change as object) })] : [];
  });
  const intro = `In place of the same in ${beside.name}.yaml`;
  return [comment([head, "", intro, ...gone.map((each) => `no ${each}`)].join("\n")), ...changed].join("---\n");
}

interface Rendered {
  readonly kind: string;
  readonly metadata?: { readonly name: string };
}

/** Rendered once: many rows are beside the same. */
const rendered = new Map<ClusterDnsProps, ReturnType<typeof rendering>>();

function render(props: ClusterDnsProps): ReturnType<typeof rendering> {
  const one = rendered.get(props) ?? rendering(props);
  rendered.set(props, one);
  return one;
}

/** The objects to apply, in their order, and what kubelets are told. */
function rendering(props: ClusterDnsProps) {
  const { cluster, problems } = resolve(props);
  if (!cluster) throw new Error(problems.map(({ path, message }) => `${path.join(".")}: ${message}`).join("; "));
  const { components, remarks } = renderCluster(cluster);
  const objects: Rendered[] = [...components.flatMap((component) => component.objects), cluster.kubelet];
  return { objects, remarks: remarks as ReadonlyMap<object, Comments> };
}

/** Without the hash of the contents that a configuration is named for. */
function identity({ kind, metadata }: Rendered): string {
  return metadata ? `${kind} ${metadata.name.replace(/-[0-9a-f]{10}$/, "")}` : kind;
}

function comment(text: string): string {
  return text.replaceAll(/^.*$/gm, (line) => `# ${line}`.trimEnd()) + "\n";
}
