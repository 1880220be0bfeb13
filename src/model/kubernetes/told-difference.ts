import type { Difference } from "./differences";
import { formatPath } from "../syntax/problem";
import { show } from "../syntax/show";

/** `spec.dnsPolicy is "ClusterFirst", the cluster file renders "Default"` */
export function toldDifference({ path, before, after }: Difference, who = "the cluster file renders"): string {
  const is = before === undefined ? "not set" : show(before);
  return `${formatPath(path)} is ${is}, ${who} ${after === undefined ? "nothing there" : show(after)}`;
}
