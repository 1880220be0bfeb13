import { expect, it } from "vitest";
import { agentImage } from "../../../../rig/cluster/agent-image";
import { tool } from "../../../../rig/tools";
import { sleep, until } from "../../../../rig/until";
import { untilTerminated } from "../../lib/gitops";
import { filler, freeMillicores } from "./eviction";
import { cacheApp, expectNothingLostDuring, expectSame, type UnderLoad } from "./under-load";
import { type PodObject, ledToCache } from "../../lib/programs";

/** The rig's CoreDNS under its other name. */
const otherCoreDns = "docker.io/coredns/coredns:1.14.7";
const otherAgent = "localhost/cluster-dns-agent:next";

/** An image that no node has, and no registry serves. */
const missingImage = "localhost/coredns:missing";

/** Other images for the programs on a node. */
export function upgrades(r: UnderLoad): void {
  it("another image of the cache, on a node where its second pod first has to take the room of another", async () => {
    await r.begin();
    await untilTerminated(r.cluster(), "kube-system"); // a pod that ends makes room, for the second cache
    await r.cluster().kubectl.apply([filler(r, "ordinary", await freeMillicores(r))]);
    await r.cluster().kubectl.run(["wait", "--for=condition=Ready", "pod/ordinary", "--timeout=300s"]);
    await expectNothingLostDuring(r, "another image of the cache, the node full", async () => {
      await r.commit(r.objects({ image: otherCoreDns }));
      await ledToCache(r.node());
    });
    expect(await r.cluster().kubectl.get("pod", "ordinary", "default")).toBeUndefined();
    await expectNothingLostDuring(r, "back to its image", () => r.begin());
  });

  it("another image of the agent", async () => {
    await r.begin();
    for (const node of r.cluster().nodes)
      await node.exec([tool("containerd", "ctr"), "-n", "k8s.io", "image", "tag", "--force", agentImage, otherAgent]);
    await expectNothingLostDuring(r, "another image of the agent", async () => {
      await r.commit(r.objects({}, { agentImage: otherAgent }));
      await ledToCache(r.node());
    });
  });

  it("an image of the cache that no node can pull leaves every node its cache", async () => {
    await r.begin();
    const old = await r.pods(cacheApp);
    await expectNothingLostDuring(r, "an image that does not exist", async () => {
      await r.commit(r.objects({ image: missingImage }), false);
      const waits = ({ status }: PodObject) =>
        /^(ErrImagePull|ImagePullBackOff)$/.test(status?.containerStatuses?.[0]?.state?.waiting?.reason ?? "");
      await until("a failed pull", 60, async () => (await r.pods(cacheApp)).some(waits));
      await sleep(5000);
      await r.commit(r.objects());
    });
    await expectSame(r, cacheApp, old);
  });
}
