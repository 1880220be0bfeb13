import { exchange, type Query } from "../dns/exchange";

/** What a probe reveals about a listener. */
export type ProbeResult =
  | { readonly kind: "answered"; readonly tookMs: number }
  /** `wrong`: it answered, but not as the cache does. `foreign`: it is not a cache of this node. */
  | { readonly kind: "missed" | "refused"; readonly wrong?: string; readonly foreign?: boolean }
  /** Says nothing about the listener. */
  | { readonly kind: "unmeasured"; readonly why: string };

interface Probe extends Omit<Query, "type"> {
  /** Config hashes that this node's caches were given; if empty, they are unknown and any hash is accepted. */
  readonly configs: readonly string[];
}

/** Queries the health zone, whose TXT record has the name of the cache's pod and the hash of its configuration. */
export async function probe({ configs, ...query }: Probe): Promise<ProbeResult> {
  const startedAt = performance.now();
  const outcome = await exchange({ ...query, type: "TXT" });
  if (outcome.kind === "unmeasured") return outcome;
  if (outcome.kind !== "answer") return { kind: outcome.kind === "refused" ? "refused" : "missed" };
  const { rcode, answers = [] } = outcome.reply;
  const texts = answers.flatMap((answer) => (answer.type === "TXT" ? [answer.data].flat().map(String) : []));
  if (rcode === "NOERROR" && isOurCache(texts, configs))
    return { kind: "answered", tookMs: performance.now() - startedAt };
  const got = [rcode, ...texts].join(" ");
  const expected = `TXT with pod= and config=${configs.join("|") || "HASH"}`;
  return {
    kind: "missed",
    // Our cache fails in no other way.
    foreign: rcode !== "SERVFAIL",
    wrong: `got ${got} for ${query.name}, expected ${expected}; something else listens there, or the cache is broken`,
  };
}

function isOurCache(texts: readonly string[], configs: readonly string[]): boolean {
  const config = texts.flatMap((text) => /^config=([0-9a-f]+)$/.exec(text)?.[1] ?? [])[0];
  if (config === undefined || !texts.some((text) => /^pod=./.test(text))) return false;
  return configs.length === 0 || configs.includes(config);
}
