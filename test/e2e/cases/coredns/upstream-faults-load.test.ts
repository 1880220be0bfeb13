import { describe, expect, it } from "vitest";
import { whyNoCoreDNS } from "../../../../rig/coredns/coredns";
import { faults, seenWith } from "./upstream-faults";

const load = { rate: 200, seconds: 10 };

// docs/failover.md has this table.
describe.skipIf(whyNoCoreDNS)(`servers that fail, under load${whyNoCoreDNS ? ` (${whyNoCoreDNS})` : ""}`, () => {
  it.each(faults.map((fault) => [fault.what, fault] as const))("%s", async (what, fault) => {
    const [before, after] = [await seenWith(fault, {}, load), await seenWith(fault, fault.after, load)];
    const shown = [before, after].flatMap(({ lost, p99 }) => [String(lost), String(p99)]);
    process.stdout.write(
      `| ${[what, fault.of, ...shown.slice(0, 2), fault.inWords, ...shown.slice(2)].join(" | ")} |\n`,
    );
    expect(after.lost).toBe(0);
    expect(before.lost > 0 || after.p99 < before.p99).toBe(true);
  });
});
