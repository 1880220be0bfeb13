import { readFileSync, writeFileSync } from "node:fs";
import { beforeAll, describe, it, vi } from "vitest";
import { parse, stringify } from "yaml";
import type { KubernetesObject } from "../../../../rig/cluster/kubectl";
import { type Examined, kubeProxyIn } from "./examined";

/** What the doctor may not read, or reads of other components. */
export function readings(x: Examined): void {
  const { expectFound } = x;
  const objects = () => x.cluster().kubectl;

  describe("says what it could not read:", () => {
    interface Kubeconfig {
      contexts: { name: string; context: { cluster: string; user: string } }[];
      users: { name: string; user: object }[];
    }

    beforeAll(() => {
      const path = x.cluster().names.file("kubeconfig");
      const config = parse(readFileSync(path, "utf8")) as Kubeconfig;
      const [{ context } = { context: { cluster: "", user: "" } }] = config.contexts;
      const admin = config.users.find(({ name }) => name === context.user);
      config.users.push({ name: "viewer", user: { ...admin?.user, as: "viewer" } });
      config.contexts.push({ name: "viewer", context: { ...context, user: "viewer" } });
      const other = x.cluster().names.file("kubeconfig-viewer");
      writeFileSync(other, stringify(config));
      vi.stubEnv("KUBECONFIG", other);
    });

    it("for want of rights", async () => {
      await expectFound("unread", /services/, { context: "viewer", evidence: /User "viewer" cannot list/ });
      await objects().run(["create", "clusterrolebinding", "viewer", "--clusterrole=view", "--user=viewer"]);
      x.putBack(() => objects().delete("clusterrolebinding", "viewer"));
      await expectFound("unread-aside", /nodes/, { context: "viewer", evidence: /User "viewer" cannot list/ });
    });

    it("the watchdogs' metrics, which the file keeps on their nodes", async () => {
      const described = { metricsAddress: "loopback" } as const;
      await expectFound("watchdog-unread", /watchdog$/, { described });
    });
  });

  describe("compares with another description:", () => {
    it("of which a cache is left", async () => {
      const described = { nodeLocalDNS: { state: "removed" } } as const;
      await expectFound("undescribed", "DaemonSet kube-system/node-local-dns", { described });
    });

    it("whose kubelets lead pods to the cache", async () => {
      const described = { nodeLocalDNS: { interception: "link-local" } } as const;
      await expectFound("kubelet-incomplete", "2 nodes", { described });
    });
  });

  describe("knows versions with faults:", () => {
    it("of kube-proxy", async () => {
      await daemonSet("kube-proxy", "registry.k8s.io/kube-proxy:v1.34.6");
      x.putBack(() => kubeProxy("iptables"));
      await kubeProxy("nftables");
      await expectFound("kube-proxy-faulty", "DaemonSet kube-system/kube-proxy", {
        described: { kubeProxyMode: "nftables" },
      });
    });

    it("of Cilium, and one that is another than the file says", async () => {
      await daemonSet("cilium", "quay.io/cilium/cilium:v1.18.0");
      const described = { kubeProxyMode: "none", cni: "cilium", ciliumVersion: "1.20.2" } as const;
      const where = "DaemonSet kube-system/cilium";
      await expectFound("cilium-faulty", where, { described });
      await expectFound("cilium-differs", where, { described });
    });
  });

  async function kubeProxy(mode: string): Promise<void> {
    await objects().apply([kubeProxyIn(mode)]);
  }

  /** One that runs nowhere. */
  async function daemonSet(name: string, image: string): Promise<void> {
    const metadata = { name, namespace: "kube-system" };
    const labels = { "k8s-app": name };
    const template = { metadata: { labels }, spec: { nodeSelector: { no: "node" }, containers: [{ name, image }] } };
    const spec = { selector: { matchLabels: labels }, template };
    x.putBack(() => objects().delete("daemonset", name, "kube-system"));
    await objects().apply([{ apiVersion: "apps/v1", kind: "DaemonSet", metadata, spec } as KubernetesObject]);
  }
}
