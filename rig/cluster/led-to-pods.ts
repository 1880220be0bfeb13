import { until } from "../until";
import type { Cluster } from "./cluster";
import type { KubernetesObject } from "./kubectl";
import type { Place } from "./place";

interface Service extends KubernetesObject {
  readonly spec: { readonly clusterIP?: string; readonly selector?: object };
}

interface EndpointSlice extends KubernetesObject {
  /** `null` before there is any. */
  readonly endpoints?:
    | readonly {
        readonly addresses: readonly string[];
        readonly conditions?: { readonly ready?: boolean };
      }[]
    | null;
}

/**
 * Waits until each kube-proxy leads queries to pods that are ready, and to no others: after a rollout it hears of them
 * later than we do. Where that never comes about, tests tell what follows from it.
 */
export async function ledToReadyPods(cluster: Cluster, namespace = "kube-system"): Promise<void> {
  const { controlPlane, kubectl, nodes, options } = cluster;
  if (options.cilium === true) return;
  const places: readonly Place[] = [controlPlane, ...nodes.filter(({ isOn }) => isOn)];
  await until("kube-proxy to lead to ready pods", 15, async () => {
    const services = (await kubectl.list<Service>("services", namespace)).filter(
      ({ spec }) => spec.selector !== undefined && spec.clusterIP !== "None",
    );
    const slices = await kubectl.list<EndpointSlice>("endpointslices", namespace);
    for (const place of places) {
      const rules = (await place.attempt(["sh", "-c", listRules])).stdout;
      for (const { metadata } of services) {
        const ready = slices
          .filter(({ metadata: { labels } }) => labels?.["kubernetes.io/service-name"] === metadata.name)
          .flatMap(({ endpoints }) => endpoints ?? [])
          .flatMap(({ addresses, conditions }) => (conditions?.ready === false ? [] : addresses));
        const led = endpointsIn(rules, `${namespace}/${metadata.name}`);
        if (ready.length > 0 && !(led.length > 0 && led.every((each) => ready.includes(each)))) return false;
      }
    }
    return true;
  }).catch(({ message }: Error) => console.error(message));
}

const listRules = `for save in iptables-nft-save ip6tables-nft-save iptables-legacy-save ip6tables-legacy-save; do $save -t nat; done
for family in ip ip6; do nft list table $family kube-proxy; done
true`;

/** The addresses to which kube-proxy's rules for a Service lead, in either of its modes. */
export function endpointsIn(rules: string, service: string): string[] {
  const ofIptables = rules.matchAll(new RegExp(`"${service}(?::\\S+)? -> \\[?([^"\\]]+?)\\]?:\\d+"`, "g"));
  const chains = rules.matchAll(new RegExp(`chain service-\\w+-${service}/\\S+ \\{\n([^]*?)\n\t\\}`, "g"));
  const ofNftables = [...chains].flatMap(([, chain = ""]) => [
    ...chain.matchAll(/\b\d+ : (\S+) \. \d+/g),
    ...chain.matchAll(/ dnat to \[?([^\]\s]+?)\]?:\d+$/gm),
  ]);
  return [...ofIptables, ...ofNftables].map(([, address = ""]) => address);
}
