import { describe, it } from "vitest";
import { apiPort, clusterDns } from "../../../../rig/cluster/addresses";
import { startPodsThatAsk } from "../../../../rig/load/pods-that-ask";
import { ledToCache, processOf } from "../../lib/node-cache";
import {
  dropsInput,
  dropsUntracked,
  firewall,
  flushedRules,
  foreignLink,
  foreignListener,
  hangingCache,
  lockedLeftovers,
  otherNameserver,
  portTaken,
} from "../../lib/node-faults";
import type { Examined } from "./examined";

/** What something does to a node. */
export function nodes(x: Examined): void {
  const { expectFound } = x;
  describe("finds what is wrong on a node:", () => {
    const node = () => x.cluster().node(1);
    const untilLed = () => ledToCache(node());

    it("a cache that hangs", async () => {
      x.putBack(untilLed, await hangingCache(x.cluster(), node()));
      await expectFound("queries go past the node's cache", "node node-1");
    });

    it("rules that something removes", async () => {
      x.putBack(untilLed, await flushedRules(node()));
      await expectFound("something on the node removes our link or rules", "node node-1");
    });

    it("a link of somebody else in the place of ours", async () => {
      x.putBack(untilLed, await foreignLink(x.cluster(), node()));
      await expectFound("link or rules cannot be written", "node node-1", { evidence: /link: refused/ });
    });

    it("another program at the cache's address", async () => {
      x.putBack(untilLed, await foreignListener(node(), "169.254.20.10"));
      await expectFound("another program answers at the cache's address", "node node-1");
    });

    it("another program that has the cache's port", async () => {
      x.putBack(untilLed, await portTaken(x.cluster(), node(), "169.254.20.10"));
      await expectFound("another program has the port", /^log of pod kube-system\/node-local-dns-.* on node-1$/);
    });

    it("a firewall that drops what it does not know", async () => {
      // It looks at the rules of others at its start, and then every few minutes.
      const look = async () => {
        process.kill(await processOf("node-local-dns-watchdog", x.cluster(), node()), "SIGTERM");
      };
      x.putBack(untilLed, look, await dropsInput(node()));
      await look();
      await expectFound("the node's own packet rules would drop queries to the cache", "node node-1");
    });

    it("a firewall that drops the cache's replies", async () => {
      const clients = { first: "node-1", second: "node-1" };
      const asked = { server: clusterDns.ipv4, names: ["kubernetes.default.svc.cluster.local"], rate: 20 };
      const end = await startPodsThatAsk(x.cluster(), clients, asked);
      x.putBack(untilLed, async () => {
        await end();
        for (const name of Object.keys(clients)) await x.cluster().kubectl.delete("pod", name, "default");
      });
      x.putBack(await dropsUntracked(node()));
      await expectFound("replies of the cache do not reach pods", "node node-1");
    });

    it("rules of another node-local-dns that cannot be removed", async () => {
      const unlock = await lockedLeftovers(node());
      const again = () => deletePod("node-local-dns");
      x.putBack(untilLed, again, unlock);
      await again();
      await expectFound("rules of another node-local-dns may defeat failover", "node node-1");
    });

    it("a firewall between the node and the pods of CoreDNS", async () => {
      const addresses = (await x.coreDns()).map(({ status }) => status.podIP).join(", ");
      const drop = `ip daddr { ${addresses} } meta l4proto { tcp, udp } th dport 53 drop`;
      x.putBack(untilLed, await firewall(node(), "postrouting priority 0", drop));
      await expectFound("the node cannot reach the cluster DNS", "node node-1");
      await expectFound("the cache does not get answers from the cluster DNS", /on node-1$/);
    });

    it("a CoreDNS whose packets to the API server are lost", async () => {
      const [pod] = await x.coreDns(node().name);
      const drop = `ip saddr ${pod?.status.podIP} tcp dport ${apiPort} drop`;
      x.putBack(await firewall(node(), "forward priority 0", drop));
      await expectFound("CoreDNS lost its watches of the API server", /coredns-.* on node-1$/);
    });

    it("a kubelet that gives pods another nameserver", async () => {
      x.putBack(await otherNameserver(x.cluster(), node(), "192.0.2.53"));
      await expectFound("kubelets give pods other DNS settings than described", "node node-1");
    });

    it("a node that the cache's DaemonSet leaves out", async () => {
      x.putBack(untilLed, () => x.recreate("daemonset", "node-local-dns"));
      await x.patch("daemonset", "node-local-dns", {
        spec: { template: { spec: { nodeSelector: { "kubernetes.io/hostname": "node-2" } } } },
      });
      await expectFound("no pod of node-local-dns runs here", "node node-1");
    });
  });

  async function deletePod(app: string): Promise<void> {
    const where = `--field-selector=spec.nodeName=${x.cluster().node(1).name}`;
    await x.cluster().kubectl.run(["delete", "pod", "-n", "kube-system", "-l", `k8s-app=${app}`, where]);
  }
}
