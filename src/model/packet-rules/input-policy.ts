/** A rule of a chain that handles packets to the node, as far as its text shows. */
interface ChainRule {
  readonly accepts: boolean;
  readonly jumpsTo: string | undefined;
  /** Whether it could match a pod's query. */
  readonly mayMatch: boolean;
}

/**
 * Whether a chain with policy drop may still accept queries, by its own rule or in a chain it jumps to. Of a rule's
 * matches only ports and connection states count; sources, links and marks are ignored. What is not understood may match.
 * @param text Output of `nft list table` or `iptables-save`.
 */
export function mayAcceptQueries(text: string, chain: string): boolean {
  const chains = text.startsWith("table ") ? nftChains(text) : iptablesChains(text);
  const seen = new Set<string>();
  const accepts = (name: string): boolean => {
    if (seen.has(name)) return false;
    seen.add(name);
    return (chains.get(name) ?? []).some(
      (rule) => rule.mayMatch && (rule.accepts || (rule.jumpsTo !== undefined && accepts(rule.jumpsTo))),
    );
  };
  return accepts(chain);
}

function nftChains(text: string): Map<string, ChainRule[]> {
  const bodies = [...text.matchAll(/^\tchain (\S+) \{\n([\s\S]*?)^\t\}/gm)];
  return new Map(
    bodies.map(([, name = "", body = ""]) => [
      name,
      body
        .split("\n")
        .filter((line) => line !== "" && !/^\s*type .* hook /.test(line))
        .map((line) => ({
          accepts: /\baccept\b/.test(line),
          jumpsTo: /\b(?:jump|goto) (\S+)/.exec(line)?.[1],
          mayMatch:
            !/\biif(?:name)? "?lo\b|\bicmp/.test(line) &&
            isForNew(/\bct state (\{[^}]*\}|\S+)/.exec(line)?.[1]) &&
            covers53(/\bdport (\{[^}]*\}|\S+)/.exec(line)?.[1], "-"),
        })),
    ]),
  );
}

function iptablesChains(text: string): Map<string, ChainRule[]> {
  const chains = new Map<string, ChainRule[]>();
  for (const [line, chain = ""] of text.matchAll(/^-A (\S+).*$/gm)) {
    const target = / -[jg] (\S+)/.exec(line)?.[1];
    const rule = {
      accepts: target === "ACCEPT",
      jumpsTo: target,
      mayMatch:
        !/(?<! !) -i lo |(?<! !) -p (?:icmp|ipv6-icmp|igmp)/.test(line) &&
        isForNew(/ (?:! )?--(?:ctstate|state) \S+/.exec(line)?.[0]) &&
        covers53(/ ! --dport/.test(line) ? undefined : / --dports? (\S+)/.exec(line)?.[1], ":"),
    };
    chains.set(chain, [...(chains.get(chain) ?? []), rule]);
  }
  return chains;
}

// Queries are untracked or new. Negations, sets and maps are not understood, and so may match.
function isForNew(states: string | undefined): boolean {
  return states === undefined || /new|untracked|[!@]|vmap/i.test(states);
}

function covers53(ports: string | undefined, to: "-" | ":"): boolean {
  if (ports === undefined) return true;
  return ports
    .replaceAll(/[{}\s]/g, "")
    .split(",")
    .some((part) => {
      const [from = "", until = from] = part.replaceAll("domain", "53").split(to);
      return !(Number(from) > 53) && !(Number(until) < 53);
    });
}
