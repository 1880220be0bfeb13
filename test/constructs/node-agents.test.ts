import { describe, expect, it } from "vitest";
import validate = require("../../src/model/agent-config/validate");
import { Cleanup } from "../../src/constructs/cleanup";
import { Watchdog } from "../../src/constructs/watchdog";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";
import type { NodeLocalDnsOptions } from "../../src/model/props/node-local-dns";
import { shapeProblems } from "../../src/model/syntax/shape";
import { render, type Part } from "./rendered";

const facts = {
  clusterDNS: ["10.96.0.10"],
  kubeProxyMode: "iptables",
  agentImage: "registry.example/agent:1",
} as const;

function watchdog(nodeLocalDNS: NodeLocalDnsOptions = {}, more: Partial<ClusterDnsProps> = {}) {
  return render((chart) => new Watchdog(chart, "watchdog", { ...facts, nodeLocalDNS, ...more }));
}

function cleanup(options: NodeLocalDnsOptions = {}) {
  const nodeLocalDNS = { state: "removed", ...options } as const;
  return render((chart) => new Cleanup(chart, "cleanup", { ...facts, nodeLocalDNS }));
}

function configuration(rendered: ReturnType<typeof render>): unknown {
  const config = rendered.objects.find(({ kind }) => String(kind) === "ConfigMap") as Part;
  return JSON.parse(String(config.data?.["config.json"]));
}

describe("the watchdog", () => {
  it("runs on each node, never evicted, on the node's network, without API access", () => {
    expect(watchdog().pod("DaemonSet", "node-local-dns-watchdog")).toMatchObject({
      priorityClassName: "system-node-critical",
      hostNetwork: true,
      automountServiceAccountToken: false,
      tolerations: [{ operator: "Exists" }],
      containers: [{ args: ["watchdog", "--config", "/etc/agent/config.json"], image: "registry.example/agent:1" }],
    });
  });

  // Pods on a node without a cache also ask the link-local address: its rules must be there to translate.
  it.each([
    ["link-local", "every node", { "kubernetes.io/os": "linux" }],
    ["service-ip", "the nodes of the cache", { "example.com/cache": "yes" }],
  ] as const)("with %s runs on %s", (interception, _, nodeSelector) => {
    const nodePlacement = { nodeSelector: { "example.com/cache": "yes" } };
    const pod = watchdog({ interception, nodePlacement }).pod("DaemonSet", "node-local-dns-watchdog");
    expect(pod.nodeSelector).toEqual(nodeSelector);
  });

  it("may change the node's network, and with iptables its tables under their lock", () => {
    const security = (props: NodeLocalDnsOptions) =>
      watchdog(props).container("DaemonSet", "node-local-dns-watchdog").securityContext?.capabilities?.add;
    expect(security({})).toEqual(["NET_ADMIN"]);
    expect(security({ packetFilter: "iptables" })).toEqual(["NET_ADMIN", "NET_RAW"]);
    expect(watchdog({ packetFilter: "iptables" }).pod("DaemonSet", "node-local-dns-watchdog").volumes).toContainEqual({
      name: "xtables-lock",
      hostPath: { path: "/run/xtables.lock", type: "FileOrCreate" },
    });
  });

  it("passes on thresholds with every default, durations in milliseconds", () => {
    const config = configuration(watchdog({ watchdogThresholds: { failures: 5, probeInterval: "1.5s" } }));
    expect(config).toMatchObject({ thresholds: { failures: 5, probeIntervalMs: 1500, windowMs: 60_000 } });
    expect(shapeProblems(validate, config)).toEqual([]);
  });

  it("passes on a limit of queries, and nothing without one", () => {
    expect(configuration(watchdog({ queryLimit: 100 }))).toMatchObject({ queryLimit: 100 });
    expect(configuration(watchdog())).not.toHaveProperty("queryLimit");
  });

  // Its port cannot be shared, and without it the rules still fail over.
  it("rolls with a short gap on each node", () => {
    expect(watchdog().object("DaemonSet", "node-local-dns-watchdog").spec?.updateStrategy).toEqual({
      type: "RollingUpdate",
      rollingUpdate: { maxSurge: 0, maxUnavailable: "10%" },
    });
  });

  it("gets the same query path as the cache and the kubelets", () => {
    expect(configuration(watchdog({ interception: "link-local" }))).toMatchObject({
      interception: "link-local",
      kubeProxyMode: "iptables",
      serviceIPs: ["10.96.0.10"],
      linkLocalIPs: ["169.254.20.10"],
    });
  });

  it("has nothing to watch with Cilium", () => {
    expect(() => watchdog({}, { kubeProxyMode: "none", cni: "cilium" })).toThrow(
      "test/watchdog has nothing to watch; accepted: agentImage, and nodeLocalDNS with interception service-ip or link-local",
    );
  });
});

describe("cleanup", () => {
  it("runs on every Linux node at once", () => {
    const rendered = cleanup({ nodePlacement: { nodeSelector: { "example.com/cache": "yes" } } });
    expect(rendered.pod("DaemonSet", "node-local-dns-cleanup")).toMatchObject({
      nodeSelector: { "kubernetes.io/os": "linux" },
      tolerations: [{ operator: "Exists" }],
      containers: [{ args: ["cleanup", "--config", "/etc/agent/config.json", "--watch-seconds=60"] }],
    });
    expect(rendered.object("DaemonSet", "node-local-dns-cleanup").spec?.updateStrategy?.rollingUpdate).toEqual({
      maxSurge: 0,
      maxUnavailable: "100%",
    });
  });

  it("exists only for a cache that is being removed", () => {
    expect(() => cleanup({ state: "enabled" })).toThrow(
      "test/cleanup has nothing to clean up; accepted: agentImage, and nodeLocalDNS.state: removed",
    );
  });
});
