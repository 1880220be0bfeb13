import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { Renderings } from "../../src/output/render-clusters";

it("are of the clusters that there are when they are iterated over", () => {
  const clustersFolder = mkdtempSync(join(tmpdir(), "renderings-"));
  const add = (name: string) =>
    writeFileSync(join(clustersFolder, `${name}.yaml`), "clusterDNS: [10.96.0.10]\nkubeProxyMode: iptables\n");
  add("a");
  const renderings = new Renderings({ clustersFolder, outputFolder: `${clustersFolder}-dist` });
  const names = () => [...renderings].map(({ named }) => named.name);
  expect(names()).toEqual(["a"]);
  add("b");
  expect(names()).toEqual(["a", "b"]);
  rmSync(clustersFolder, { recursive: true });
});
