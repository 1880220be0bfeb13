import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { bundle } from "../../../rig/bundle";
import { leftovers, removeAbandoned } from "../../../rig/cluster/cleanup";
import { Names } from "../../../rig/cluster/names";
import { until } from "../../../rig/until";
import { useCluster } from "../lib/use-cluster";
import { eventually } from "../../eventually";

describe("a cluster whose test died", () => {
  it.each(["SIGINT", "SIGKILL"] as const)(
    "halfway through its start, by %s, is removed by its watcher",
    async (signal) => {
      const names = new Names(`died-${process.pid}`);
      const test = await startHalf(names);
      test.kill(signal);
      await eventually("all to be gone", 30, () => leftovers(names), []);
    },
  );

  it("and whose watcher died too, is removed by the next start", async () => {
    const names = new Names(`died-${process.pid}`);
    const test = await startHalf(names);
    process.kill(Number(readFileSync(names.file("watcher.pid"), "utf8")), "SIGKILL");
    test.kill("SIGKILL");
    await until("the end of the test", 30, async () => test.signalCode !== null);
    expect(await leftovers(names)).not.toEqual([]);
    expect(await removeAbandoned()).toContain(names.cluster);
    expect(await leftovers(names)).toEqual([]);
  });
});

const cluster = useCluster();

it("a node has its own /etc", async () => {
  const machine = readFileSync("/etc/hosts", "utf8");
  await cluster().node(1).exec(["sh", "-c", "echo 192.0.2.9 only-here >> /etc/hosts"]);
  expect(readFileSync("/etc/hosts", "utf8")).toBe(machine);
  expect(await cluster().node(2).exec(["cat", "/etc/hosts"])).not.toContain("only-here");
});

/** A process that has started part of a cluster. */
async function startHalf(names: Names): Promise<ChildProcess> {
  const test = spawn(process.execPath, [bundle("test/e2e/lib/start-cluster.ts"), names.cluster], { stdio: "ignore" });
  await until("a node to boot", 60, async () => existsSync(names.file("node-1", "kubelet.pid")), 20);
  return test;
}
