import { readFileSync } from "node:fs";
import { familyOf } from "../../model/syntax/addresses";
import { parseResolvConf } from "../../model/syntax/resolv-conf";

/** What a pod's resolver asks. */
interface ResolvConf {
  readonly nameservers: readonly string[];
  /** The cluster's domain in the search list that kubelets give pods; undefined if the list is another. */
  readonly domain: string | undefined;
}

export function readResolvConf(path: string): ResolvConf {
  const { nameservers, search } = parseResolvConf(readFileSync(path, "utf8"));
  return {
    nameservers: nameservers.filter(familyOf),
    domain: search.map((entry) => /^svc\.(.+?)\.?$/.exec(entry)?.[1]).find((domain) => domain !== undefined),
  };
}
