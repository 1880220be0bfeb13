import { describe, expect, it } from "vitest";
import { cache, environment } from "./cache";

describe("engine node-cache", () => {
  const node = cache({ engine: "node-cache", interception: "service-ip" });

  it("is upstream's image, configured to leave link and rules alone", () => {
    expect(node.container("DaemonSet", "node-local-dns")).toMatchObject({
      image: "registry.k8s.io/dns/k8s-dns-node-cache:1.26.8",
      args: [
        "-localip",
        "169.254.20.10,10.96.0.10",
        "-conf",
        "/run/node-cache/Corefile",
        "-basecorefile",
        "/etc/coredns/Corefile.base",
        "-upstreamsvc",
        "kube-dns-upstream",
        "-setupinterface=false",
        "-setupiptables=false",
        "-skipteardown=true",
      ],
    });
  });

  it("reads its base from where it is mounted, and writes where it may", () => {
    const pod = node.pod("DaemonSet", "node-local-dns");
    expect(pod.volumes).toContainEqual(
      expect.objectContaining({
        configMap: expect.objectContaining({ items: [{ key: "Corefile", path: "Corefile.base" }] }),
      }),
    );
    expect(pod.volumes).toContainEqual({ name: "run", emptyDir: {} });
    expect(node.container("DaemonSet", "node-local-dns").volumeMounts).toContainEqual({
      name: "run",
      mountPath: "/run/node-cache",
    });
  });

  // It ends at once where `-localip` names no address.
  it("has addresses to list even behind Cilium's redirect", () => {
    const args = cache({ engine: "node-cache" }, { kubeProxyMode: "none", cni: "cilium" }).container(
      "DaemonSet",
      "node-local-dns",
    ).args as unknown as string[];
    expect(args[args.indexOf("-localip") + 1]).toMatch(/^[0-9a-f.:]+$/);
  });
});

describe("node-cache that makes link and rules itself", () => {
  const node = cache({}, { agentImage: undefined });
  const container = node.container("DaemonSet", "node-local-dns");
  const port = String(environment(container).HEALTH_PORT);

  it("gets upstream's arguments, our ports, and a file whose appearance brings the rules at once", () => {
    expect(container.args).toEqual([
      "-localip",
      "169.254.20.10,10.96.0.10",
      "-conf",
      "/run/node-cache/Corefile",
      "-basecorefile",
      "/etc/coredns/Corefile.base",
      "-upstreamsvc",
      "kube-dns-upstream",
      "-health-port",
      port,
      "-metrics-listen-address",
      "[$(NODE_IP)]:9353",
      "-pidfile",
      "/run/node-cache.pid",
    ]);
    const loopback = cache({}, { agentImage: undefined, metricsAddress: "loopback" });
    expect(loopback.container("DaemonSet", "node-local-dns").args).toContain("127.0.0.1:9353");
  });

  // Left over from a container that was killed, the file would bring rules to a cache that may never start.
  it("has that file in no volume", () => {
    const mounts = container.volumeMounts as unknown as { mountPath: string }[];
    expect(mounts.filter(({ mountPath }) => "/run/node-cache.pid".startsWith(`${mountPath}/`))).toEqual([]);
  });

  it("may change rules, holds iptables' lock, and can choose iptables' backend", () => {
    expect(container.securityContext).toEqual({
      runAsUser: 0,
      allowPrivilegeEscalation: false,
      capabilities: { add: ["NET_ADMIN", "NET_BIND_SERVICE", "NET_RAW"], drop: ["ALL"] },
      readOnlyRootFilesystem: false,
    });
    expect(container.volumeMounts).toContainEqual({ name: "xtables-lock", mountPath: "/run/xtables.lock" });
    expect(node.pod("DaemonSet", "node-local-dns").volumes).toContainEqual({
      name: "xtables-lock",
      hostPath: { path: "/run/xtables.lock", type: "FileOrCreate" },
    });
  });

  it("never runs beside another, which would remove its rules", () => {
    expect(node.object("DaemonSet", "node-local-dns").spec?.updateStrategy).toEqual({
      type: "RollingUpdate",
      rollingUpdate: { maxSurge: 0, maxUnavailable: "10%" },
    });
  });

  it("has none of our programs beside it", () => {
    expect(node.names.filter((name) => name.includes("agent"))).toEqual([]);
    expect(node.pod("DaemonSet", "node-local-dns").initContainers).toBeUndefined();
  });
});
