import { expect, test } from "vitest";
import { footprint } from "../../rig/kernel/footprint";
import { missingForKernelTests } from "../../rig/kernel/namespace";
import { onNode } from "../../rig/kernel/scenario";
import { sleep } from "../../rig/until";

// A busy machine makes every wake-up dearer: half a percent is what a quiet one needs.
test.skipIf(missingForKernelTests() !== undefined)(
  "in steady state the watchdog takes 64 MiB and 0.5% of a core at most",
  () =>
    onNode({}, async (s) => {
      // Its first seconds are start-up; a minute has one of each check.
      await sleep(10_000);
      const { memory, cpu } = await footprint(s.watchdog.process.pid ?? 0, 60);
      expect(memory).toBeLessThan(64);
      expect(cpu).toBeLessThan(0.5);
    }),
  100_000,
);
