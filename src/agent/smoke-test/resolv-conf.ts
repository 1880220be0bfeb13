import { readFileSync } from "node:fs";
import { familyOf } from "../../model/syntax/addresses";

/** What a pod's resolver asks. */
export interface ResolvConf {
  readonly nameservers: readonly string[];
  /** The cluster's domain in the search list that kubelets give pods; undefined if the list is another. */
  readonly domain: string | undefined;
}

export function readResolvConf(path: string): ResolvConf {
  const lines = readFileSync(path, "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/));
  // Of several search lists, the last one counts.
  const search = lines.findLast(([key]) => key === "search")?.slice(1) ?? [];
  return {
    nameservers: lines.flatMap(([key, address = ""]) => (key === "nameserver" && familyOf(address) ? [address] : [])),
    domain: search.map((entry) => /^svc\.(.+?)\.?$/.exec(entry)?.[1]).find((domain) => domain !== undefined),
  };
}
