import { beforeAll, describe, it } from "vitest";
import type { LoadReport } from "../../../../../rig/load/report";
import { expectLostAtMost } from "../../../../expect-lost";
import type { Life } from "../life";

/** The theme's tests while a pod asks 500 times a second, from before the first until after the last. */
export function underLoad(life: Life, what: string, theme: (life: Life) => void): void {
  describe(`${what}, under load`, () => {
    let end: () => void = () => undefined;
    let report: Promise<LoadReport>;

    beforeAll(() => {
      const ended = new Promise<void>((resolve) => (end = resolve));
      report = life.during(what, () => ended);
      report.catch(() => undefined); // the last test tells
    });

    theme(life);

    it("loses no new flow", async () => {
      end();
      expectLostAtMost(await report, { lostOfNewFlows: 0 });
    });
  });
}
