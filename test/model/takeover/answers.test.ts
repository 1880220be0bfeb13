import { expect, it } from "vitest";
import { parseCorefile } from "../../../src/model/corefile/parse";
import { answersOf } from "../../../src/model/takeover/answers";

it("a Corefile of many zones is looked through once", () => {
  const zones = Array.from({ length: 5000 }, (_, i) => `z${i}.example`);
  const forwards = zones.map((zone, i) => `  forward ${zone} 10.0.${i >> 8}.${i & 255}\n`);
  const { facts, servedZones } = answersOf("a", parseCorefile(`. ${zones.join(" ")} {\n${forwards.join("")}}\n`));
  const start = process.cpuUsage();
  const servers = servedZones.map((zone) => facts(zone).find(({ option }) => option === "to")?.value);
  expect(new Set(servers).size).toBe(5001);
  expect(process.cpuUsage(start).user).toBeLessThan(5_000_000);
});

it("a Corefile of many blocks is looked through once", () => {
  const corefile = parseCorefile(Array.from({ length: 40_000 }, (_, i) => `z${i}.example {\n  log\n}\n`).join(""));
  const start = process.cpuUsage();
  expect(answersOf("a", corefile).blocks).toHaveLength(40_000);
  expect(process.cpuUsage(start).user).toBeLessThan(5_000_000);
});
