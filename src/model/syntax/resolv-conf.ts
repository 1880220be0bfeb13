/** A file as resolv.conf(5) describes it. */
export interface ResolvConf {
  /** As written, maybe with a scope (`fe80::1%eth0`). */
  readonly nameservers: readonly string[];
  readonly search: readonly string[];
}

export function parseResolvConf(text: string): ResolvConf {
  const lines = text.split("\n").map((line) => line.trim().split(/\s+/));
  return {
    nameservers: lines.flatMap(([key, address]) => (key === "nameserver" && address !== undefined ? [address] : [])),
    // Of several search lists, the last one counts.
    search: lines.findLast(([key]) => key === "search")?.slice(1) ?? [],
  };
}
