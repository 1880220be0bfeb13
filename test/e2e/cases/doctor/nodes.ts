import { describe, expect, it } from "vitest";
import { apiPort } from "../../../../rig/cluster/addresses";
import { eventually } from "../../../eventually";
import { dig } from "../../lib/dig";
import { enforceNetworkPolicies } from "../../lib/enforce-network-policies";
import { firewall, otherNameserver, portTaken } from "../../lib/node-faults";
import type { Finding } from "../../../../src/model/doctor/finding";
import { type Examined, policy } from "./examined";
import { ledToCache, processOf } from "../../lib/programs";
import { argv } from "../../../../rig/argv";

/** What something does to a node. */
export function nodes(x: Examined): void {
  const { expectFound } = x;
  describe("finds what is wrong on a node:", () => {
    const node = () => x.cluster().node(1);
    const untilLed = () => ledToCache(node());
    /** The watchdog looks at what others set when it starts, and then every few minutes. */
    const look = async () => {
      process.kill(await processOf("node-local-dns-watchdog", x.cluster(), node()), "SIGTERM");
    };

    /** Runs the command of the node that is offered last. */
    const mendedOnNode = async ({ next, id }: Finding) => {
      const step = next.at(-1);
      if (!step || typeof step === "string") throw new Error(`${id} ends with no command`);
      await node().exec([step.program, ...step.args]);
      const ids = async () => (await x.findings()).map((each) => each.id);
      await eventually(`${id} to be mended`, 60, ids, (got) => expect(got).not.toContain(id), 1000);
    };

    it("another program that has the cache's port", async () => {
      x.putBack(untilLed, await portTaken(x.cluster(), node(), "169.254.20.10"));
      await expectFound("port-taken", /^log of pod kube-system\/node-local-dns-.* on node-1$/);
    });

    it("settings of its kernel, in which somebody left no ports", async () => {
      const set = (range: string) => node().exec(["sysctl", "-w", `net.ipv4.ip_local_port_range=${range}`]);
      x.putBack(untilLed, look, async () => void (await set("32768 60999")));
      await set("60000 60500");
      await expectFound("unfit-setting", "node node-1", { evidence: /ip_local_port_range is 60000 60500/ });
    });

    it("a way to one pod of CoreDNS alone", async () => {
      const [pod] = await x.coreDns("node-2");
      const drop = `ip daddr ${pod?.status?.podIP} udp dport 53 drop`;
      x.putBack(untilLed, look, await firewall(node(), "postrouting priority 0", drop));
      await expectFound("cluster-dns-lossy", "node node-1", { evidence: /^it answered \d+% / });
    });

    it("a firewall between the API server and its kubelet", async () => {
      x.putBack(untilLed, await firewall(node(), "input priority 0", "tcp dport 10250 reject with tcp reset"));
      await expectFound("kubelet-silent", "node node-1");
    });

    it("a CoreDNS whose packets to the API server are lost", async () => {
      const [pod] = await x.coreDns(node().name);
      const drop = `ip saddr ${pod?.status?.podIP} tcp dport ${apiPort} drop`;
      x.putBack(await firewall(node(), "forward priority 0", drop));
      await expectFound("watches-lost", /coredns-.* on node-1$/);
    });

    it("a firewall that drops what the cache sends", async () => {
      const drop = "ip daddr != { 169.254.20.10, 10.96.0.10 } meta l4proto { tcp, udp } th dport 53 drop";
      x.putBack(untilLed, await firewall(node(), "output priority 0", drop));
      for (const name of ["a.example", "kubernetes.default.svc.cluster.local"])
        await dig(node(), { server: "169.254.20.10", name });
      await expectFound("node-firewall", /^log of pod kube-system\/node-local-dns-.* on node-1$/);
    });

    it("a network policy that lets CoreDNS ask nobody", async () => {
      const stop = enforceNetworkPolicies(x.cluster());
      x.putBack(async () => {
        await stop();
        for (const each of x.cluster().nodes) await each.exec(["nft", "delete", "table", "inet", "network-policies"]);
      });
      await x.make(policy("shut", { policyTypes: ["Egress"] }));
      const [pod] = await x.coreDns();
      const ask = () => dig(node(), { server: pod?.status?.podIP ?? "", name: "lost.example", seconds: 3 });
      const isLost = ({ udp: { status } }: Awaited<ReturnType<typeof ask>>) =>
        expect(status).not.toMatch(/NOERROR|NXDOMAIN/);
      await eventually("names outside to be lost", 30, ask, isLost, 1000);
      await expectFound("shut-in", "NetworkPolicy kube-system/shut", { evidence: /queries by UDP.*API server/ });
    });

    it("a firewall that drops replies to the node, by its policy", async () => {
      const accept = [argv`INPUT -i lo -j ACCEPT`, argv`INPUT -p tcp -j ACCEPT`];
      const replies = argv`INPUT -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT`;
      x.putBack(untilLed, async () => {
        await node().exec(["iptables", "-P", "INPUT", "ACCEPT"]);
        for (const rule of [...accept, replies]) await node().attempt(["iptables", "-D", ...rule]);
      });
      for (const rule of accept) await node().exec(["iptables", "-I", ...rule]);
      await node().exec(["iptables", "-P", "INPUT", "DROP"]);
      const evidence = /1 of 2 nodes reach it/;
      const found = await expectFound("cluster-dns-unreachable", "node node-1", { evidence });
      await mendedOnNode(found);
    });

    it("a node that forwards nothing to its pods, by its policy", async () => {
      x.putBack(untilLed, async () => void (await node().exec(["iptables", "-P", "FORWARD", "ACCEPT"])));
      await node().exec(["iptables", "-P", "FORWARD", "DROP"]);
      await mendedOnNode(await expectFound("pods-unreached", "node node-1"));
    });

    it("a watchdog that hangs, without waiting for it long", async () => {
      const pid = await processOf("node-local-dns-watchdog", x.cluster(), node());
      process.kill(pid, "SIGSTOP");
      x.putBack(untilLed);
      const found = await expectFound("watchdog-silent", /^pod kube-system\/node-local-dns-watchdog-.* on node-1$/);
      const started = performance.now();
      await x.findings();
      expect(performance.now() - started).toBeLessThan(10_000);
      await x.mended(found);
    });

    it.each([
      ["kube-proxy", "kube-proxy-stopped"],
      ["kubelet", "node-not-ready"],
    ] as const)("a %s that has stopped", async (program, id) => {
      x.putBack(untilLed, async () => {
        node().startAgain(program);
        await x.cluster().nodesReady();
      });
      await node().stop(program);
      await expectFound(id, "node node-1");
    });

    it("that has all pods of CoreDNS, as after a drain", async () => {
      x.putBack(x.reapply);
      await x.cluster().kubectl.run(["cordon", node().name]);
      for (const { metadata } of await x.coreDns(node().name))
        await x.cluster().kubectl.delete("pod", metadata.name, "kube-system");
      await x.cluster().kubectl.rolledOut("deployment", "coredns", "kube-system");
      await x.cluster().kubectl.run(["uncordon", node().name]);
      await x.mended(await expectFound("dns-on-one-node", "2 pods of Deployment coredns"));
    });

    it("a kubelet that gives pods another nameserver", async () => {
      x.putBack(await otherNameserver(x.cluster(), node(), "192.0.2.53"));
      await expectFound("kubelet-dns-differs", "node node-1");
    });
  });
}
