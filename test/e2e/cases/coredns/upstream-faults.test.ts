import { describe, expect, it } from "vitest";
import { whyNoCoreDNS } from "../../../../rig/coredns/coredns";
import { faults, seenWith } from "./upstream-faults";

/** Of the others, `upstream-faults-load` measures times. */
const counted = faults.filter(({ isCounted }) => isCounted);

describe.skipIf(whyNoCoreDNS)(`servers that fail${whyNoCoreDNS ? ` (${whyNoCoreDNS})` : ""}`, () => {
  it.concurrent.each(counted.map((fault) => [fault.what, fault] as const))("%s", async (_, fault) => {
    // Answers that are wrong, not late: a busy machine has time.
    const load = { rate: 20, seconds: 2, timeoutMs: 30_000 };
    const [before, after] = await Promise.all([seenWith(fault, {}, load), seenWith(fault, fault.after, load)]);
    expect(before.lost).toBeGreaterThan(0);
    expect(after.lost).toBe(0);
  });
});
