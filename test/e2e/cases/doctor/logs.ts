import { describe, expect, it } from "vitest";
import { apiPort, controlPlane as addresses } from "../../../../rig/cluster/addresses";
import { dig } from "../../lib/dig";
import { firewall } from "../../lib/node-faults";
import { type Examined, corefileOf } from "./examined";
import { ledToCache, processOf } from "../../lib/programs";

/** One pod is told by name, more by their number. */
const ofCoreDns = /^logs? of (pod kube-system\/coredns-|\d pods$)/;

/** Answers each query with REFUSED. */
const refusing = `const socket = require("node:dgram").createSocket("udp4");
socket.on("message", (query, from) => {
  query.writeUInt16BE(0x8185, 2);
  socket.send(query, from.port, from.address);
}).bind(6053);`;

/** What CoreDNS complains about. */
export function logs(x: Examined): void {
  const { expectFound } = x;
  const objects = () => x.cluster().kubectl;

  /** Asks a cache for ever new names below these, until it is ended. */
  function asking(...below: readonly string[]): () => Promise<void> {
    let isOver = false;
    const all = below.map(async (name) => {
      for (let i = 0; !isOver; i++) await dig(x.cluster().node(1), { server: "169.254.20.10", name: `${i}.${name}` });
    });
    return async () => {
      isOver = true;
      await Promise.all(all);
    };
  }

  describe("finds what CoreDNS complains about:", () => {
    it("servers that do not answer, or not in its protocol, and names that are wrong", async () => {
      const toNobody = "errors\n forward . 127.0.0.1:1\n";
      await mounted(
        `refused.test:53 {\n${toNobody}}\n` +
          "plain.test:53 {\n errors\n forward . tls://10.96.0.1:443\n}\n" +
          `.:53 {\n ready\n health\n loop\n ${toNobody}}\n`,
      );
      await objects().rolledOut("deployment", "coredns", "kube-system");
      await x.smokeTestAgain();
      const [running] = await x.coreDns();
      const server = running?.status?.podIP ?? "";
      for (let i = 0; i < 4; i++)
        for (const name of ["a.refused.test", "a.plain.test"])
          await dig(x.cluster().node(1), { server, name: `${i}.${name}` });
      await expectFound("upstream-silent", ofCoreDns);
      await expectFound("smoke-test-failed", /^Job kube-system\/cluster-dns-smoke-test/);
    });

    it("servers outside that are silent, also to names that caches ask at the cluster DNS", async () => {
      const lost = `ip saddr ${addresses.ipv4.address} th sport 53 drop`;
      for (const node of x.cluster().nodes) {
        const drop = `meta l4proto { tcp, udp } ${lost}`;
        x.putBack(() => ledToCache(node), await firewall(node, "prerouting priority 0", drop));
      }
      x.putBack(asking("1.10.in-addr.arpa", "a.outside.test", "2.10.in-addr.arpa", "b.outside.test"));
      await expectFound("upstream-silent", ofCoreDns);
      await expectFound("upstream-silent", /^logs of \d pods$/, { evidence: /node-local-dns-/ });
      const errors = (await x.findings()).filter(({ severity }) => severity === "error");
      expect([errors[0]?.id, ...errors.filter(({ id }) => id === "cluster-dns-silent")]).toEqual(["upstream-silent"]);
    });

    // No log says so.
    it("servers outside that refuse", async () => {
      const { controlPlane } = x.cluster();
      controlPlane.start("refusing-dns", [process.execPath, "-e", refusing]);
      const redirect = "meta l4proto udp th dport 53 redirect to :6053;";
      const table = `table ip refusing { chain in { type nat hook prerouting priority -100; ${redirect} }; }`;
      await controlPlane.exec(["nft", table]);
      x.putBack(async () => {
        await controlPlane.exec(["nft", "delete", "table", "ip", "refusing"]);
        await controlPlane.stop("refusing-dns");
      });
      // Fewer than a dozen answers may be of one broken name.
      x.putBack(asking("a.refused.test", "b.refused.test", "c.refused.test", "d.refused.test"));
      await expectFound("upstream-failing", `${addresses.ipv4.address}:53`, { evidence: /REFUSED/ });
    });

    it("a server that is CoreDNS itself", async () => {
      await mounted(".:53 {\n  errors\n  loop\n  forward . 127.0.0.1\n}\n");
      await expectFound("forwards-to-itself", ofCoreDns);
    });

    it("the rights of CoreDNS", async () => {
      x.putBack(x.reapply);
      await objects().delete("clusterrolebinding", "system:coredns");
      await expectFound("rights", "ClusterRoleBinding system:coredns");
      await objects().run(["rollout", "restart", "deployment", "coredns", "-n", "kube-system"]);
      await expectFound("rights-refused", ofCoreDns);
    });

    it("a fault that ends it, after which it runs again", async () => {
      x.putBack(x.reapply);
      // As in Go's own runtime, which also says where.
      process.kill(await processOf("kube-dns", x.cluster(), x.cluster().node(1)), "SIGABRT");
      await expectFound("fatal-error", /coredns-.* on node-1$/);
    });

    it("an API server that it cannot reach when it starts", async () => {
      x.putBack(x.reapply);
      const drop = `ip saddr 10.244.0.0/16 tcp dport ${apiPort} drop`;
      for (const node of x.cluster().nodes) x.putBack(await firewall(node, "forward priority 0", drop));
      const [pod] = await x.coreDns();
      await objects().delete("pod", pod?.metadata.name ?? "", "kube-system");
      await expectFound("api-unread", ofCoreDns);
    });

    it("an API server that does not know it any more", async () => {
      x.putBack(async () => {
        await x.reapply();
        await objects().run(["rollout", "restart", "deployment", "coredns", "-n", "kube-system"]);
        await x.reapply();
      });
      await objects().delete("serviceaccount", "coredns", "kube-system");
      await x.cluster().controlPlane.stopApi();
      await x.cluster().controlPlane.startApiAgain();
      await expectFound("api-distrusted", ofCoreDns);
    });
  });

  /** CoreDNS gets another Corefile by hand. */
  async function mounted(corefile: string): Promise<void> {
    const name = `by-hand-${corefile.length}`;
    x.putBack(x.reapply);
    await x.make(corefileOf(name, corefile));
    await x.patch("deployment", "coredns", {
      spec: { template: { spec: { volumes: [{ name: "config-volume", configMap: { name } }] } } },
    });
  }
}
