import { exchange, type Query } from "../dns/exchange";

/** What a probe says of a listener. */
export type ProbeResult =
  | { readonly kind: "answered"; readonly tookMs: number }
  /** `wrong`: it answered, but not as the cache does. */
  | { readonly kind: "missed" | "refused"; readonly wrong?: string }
  /** Says nothing about the listener. */
  | { readonly kind: "unmeasured"; readonly why: string };

/** Asks for the health zone, whose TXT record `pod=` only the cache has. */
export async function probe(query: Omit<Query, "type">): Promise<ProbeResult> {
  const startedAt = performance.now();
  const outcome = await exchange({ ...query, type: "TXT" });
  if (outcome.kind === "unmeasured") return outcome;
  if (outcome.kind !== "answer") return { kind: outcome.kind === "refused" ? "refused" : "missed" };
  const { rcode, answers = [] } = outcome.reply;
  const texts = answers.flatMap((answer) => (answer.type === "TXT" ? [answer.data].flat().map(String) : []));
  if (rcode === "NOERROR" && texts.some((text) => text.startsWith("pod=")))
    return { kind: "answered", tookMs: performance.now() - startedAt };
  const got = [rcode, ...texts].join(" ");
  return {
    kind: "missed",
    wrong: `got ${got} for ${query.name}, expected TXT with pod=; something else answers, or the cache is broken`,
  };
}
