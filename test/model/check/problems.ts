import { resolve } from "../../../src/model/check/resolve";
import { formatPath } from "../../../src/model/syntax/problem";

/** The minimum that a cluster needs. */
export const base = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables" };

/** What a node cache under kube-proxy needs as well. */
export const agentImage = "registry.example/agent:1";

export const cilium = { kubeProxyMode: "none", cni: "cilium" } as const;

/** The problems of a cluster, as lines of text; `base` supplies what `props` leaves out. Keys may be paths: `"nodeLocalDNS.image"`. */
export function problemsOf(props: object): string[] {
  const { problems = [] } = resolve({ ...base, ...nested(props) });
  return problems.map(({ path, message }) => `${formatPath(path)}: ${message}`);
}

/** The keys that the problems of a cluster are about. */
export function faultyKeys(props: object): string[] {
  return problemsOf(props).map((each) => each.slice(0, each.indexOf(": ")));
}

/** The problems of a key's value, each without the key and cut to the length of what it should begin with. */
export function beginnings(message: string, key: string, value: unknown, more: object = {}): string[] {
  return problemsOf({ [key]: value, ...more }).map((each) => each.replace(`${key}.`, "").slice(0, message.length));
}

function nested(props: object): object {
  return Object.entries(props).reduce<object>((all, [key, value]) => {
    const [first = "", ...rest] = key.split(".");
    const before = (all as { readonly [key: string]: unknown })[first];
    return { ...all, [first]: rest.length === 0 ? value : nested({ ...(before as object), [rest.join(".")]: value }) };
  }, {});
}
