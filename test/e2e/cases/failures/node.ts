import { expect, it } from "vitest";
import { sleep, until } from "../../../../rig/until";
import { deleted } from "./eviction";
import { cacheApp, expectNothingLostDuring, untilReplaced, type UnderLoad } from "./under-load";
import { cacheProcess, ledToCache } from "../../lib/programs";

/** What runs the pods is started again, and they stay. */
export function daemons(r: UnderLoad): void {
  it.each(["containerd", "kubelet", "kube-proxy"])("%s restarts, and the cache stays", async (daemon) => {
    await r.begin();
    const pid = await cacheProcess(r.cluster(), r.node());
    await expectNothingLostDuring(r, `${daemon} restarted`, async () => {
      await r.node().stop(daemon);
      await sleep(3000);
      r.node().startAgain(daemon);
      await r.cluster().nodesReady();
      await sleep(5000);
    });
    expect(await cacheProcess(r.cluster(), r.node())).toBe(pid);
    await ledToCache(r.node());
  });
}

/** The folder of containers' logs, where the kubelet makes one for each pod before it starts. */
const logs = "/var/log/pods";

export function disk(r: UnderLoad): void {
  it("a full disk: a deleted cache cannot start, and returns once there is room", async () => {
    await r.begin();
    await expectNothingLostDuring(r, "full disk, pod deleted", async () => {
      const old = await r.podOf(cacheApp);
      // Neither blocks nor inodes are left.
      await r.node().exec(["mount", "-t", "tmpfs", "-o", "size=64k,nr_inodes=2,mode=755", "tmpfs", logs]);
      try {
        await r.node().attempt(["dd", "if=/dev/zero", `of=${logs}/full`, "bs=1k", "count=1k"]);
        await deleted(r, old);
        await until("a new pod that the full disk keeps from starting", 60, async () => {
          const { stdout } = await r.cluster().kubectl.attempt(["get", "events", "-n", "kube-system"]);
          return /no space left on device/.test(stdout);
        });
      } finally {
        await r.node().exec(["umount", logs]);
      }
      await untilReplaced(r, cacheApp, old);
      await ledToCache(r.node());
    });
  });
}
