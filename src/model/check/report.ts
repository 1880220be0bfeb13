import type { Cluster } from "../cluster/cluster";
import type { FullProps } from "../full-props/fill-in";
import type { ClusterDnsProps } from "../props/cluster-dns";
import type { Problem } from "../syntax/problem";

export interface Given {
  /** What the user wrote, or meant, whatever its shape: for rules about single values, which pass over others. */
  readonly written: { readonly [key in keyof ClusterDnsProps]?: unknown };
  /** What of it has the right shape. */
  readonly props: ClusterDnsProps;
  /** The same, with the defaults of what is not written. */
  readonly said: FullProps;
  /** The resulting cluster; undefined if `clusterDNS` or `kubeProxyMode` is missing. */
  readonly cluster: Cluster | undefined;
}

interface About {
  /** The problem with the value if it is wrong, else nothing: `about(["clusterDNS", 0]).when(isWrong, "...")`. */
  when(isWrong: boolean, message: string): Problem[];
  /** The problem, if there is one. As only the first of a value is shown, a function can return what it finds first. */
  say(message: string | undefined): Problem[];
}

export function about(path: Problem["path"]): About {
  const say = (message: string | undefined): Problem[] =>
    message === undefined ? [] : [{ path, at: "value", message }];
  return { say, when: (isWrong, message) => (isWrong ? say(message) : []) };
}

/** The same problems, located at the key that ends the path instead of its value. */
export function aboutKey(problems: readonly Problem[]): Problem[] {
  return problems.map((found) => ({ ...found, at: "key" }));
}
