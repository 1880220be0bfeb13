import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { notApart } from "../../src/output/apart";
import { temporaryFolder } from "../temporary-folder";

const root = temporaryFolder("apart");
beforeAll(() => {
  mkdirSync(join(root, "fleet/clusters"), { recursive: true });
  symlinkSync("fleet/clusters", join(root, "link"));
});

const inside = ["fleet/clusters/dist", "fleet/clusters/new/dist", "link/dist"].map(
  (out) => [out, "is inside"] as const,
);
it.each([["fleet/clusters", "is"] as const, ...inside, ["fleet", "is above"] as const, [".", "is above"] as const])(
  "%s %s the folder of the cluster files",
  (out, where) => {
    expect(notApart(join(root, "fleet/clusters"), join(root, out))).toBe(
      `${join(root, out)} ${where} the folder of the cluster files, ${join(root, "fleet/clusters")}; choose an --out beside it, such as dist`,
    );
  },
);

it.each(["dist", "fleet/dist", "fleet/clusters-dist", "fleet/..dist", "../dist"])("%s is apart", (out) => {
  expect(notApart(join(root, "fleet/clusters"), join(root, out))).toBe(undefined);
});
