import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { renderCluster } from "../../src/charts/render-cluster";
import { NodeLocalDns } from "../../src/constructs/node-local-dns";
import { refusePlacement, type GuardedWorkload } from "../../src/model/admission/placement-guard";
import { thresholdsOf } from "../../src/model/agent-config/thresholds";
import { defaults } from "../../src/model/defaults";
import { resolve } from "../../src/model/check/resolve";
import { clusterOf } from "../../src/model/cluster/cluster";
import { renderIptables } from "../../src/model/packet-rules/iptables/render";
import { packetRules } from "../../src/model/packet-rules/packet-rules";
import type { Node } from "../../src/model/placement/node";
import { preflight } from "../../src/model/preflight/preflight";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";
import type { NodePlacement } from "../../src/model/props/placement";
import { stateOf } from "../../src/model/running/cluster-state";
import { formatPath } from "../../src/model/syntax/problem";
import { memberOf } from "../../src/model/tenancy/membership";
import { podDnsConfig } from "../../src/model/tenancy/pod-dns-config";
import { toYaml, type Json } from "../../src/output/yaml";
import { render } from "../constructs/rendered";
import * as examples from "./examples";

const shortest: ClusterDnsProps = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables", agentImage: "agent:1" };
const kinds = ["Deployment", "DaemonSet"] as const;

/** What the document's object says, as our key. */
function placementOf(example: keyof typeof examples.placements): NodePlacement {
  return (parse(examples.placements[example]) as { spec: { nodePlacement: NodePlacement } }).spec.nodePlacement;
}

function placed(kind: (typeof kinds)[number], nodePlacement: NodePlacement) {
  const cluster = clusterOf({ ...shortest, authoritativeDNS: { kind, nodePlacement } });
  const { components } = renderCluster(cluster);
  const workload = components
    .flatMap(({ objects }) => objects as readonly (GuardedWorkload & { kind: string; metadata: { name: string } })[])
    .find((object) => object.kind === kind && object.metadata.name === "coredns");
  if (!workload) throw new Error(`no ${kind}`);
  return { cluster, components, workload };
}

describe("placement, from the document's own objects (else: npm test -- test/seeds -u)", () => {
  it.each(Object.keys(examples.placements) as (keyof typeof examples.placements)[])("example %s", async (name) => {
    const pods = kinds.map((kind) => {
      const { nodeSelector, tolerations } = placed(kind, placementOf(name)).workload.spec?.template?.spec ?? {};
      return [kind, { nodeSelector, tolerations }];
    });
    const golden = toYaml(Object.fromEntries(pods) as Json);
    await expect(golden).toMatchFileSnapshot(join(__dirname, `placement-${name}.yaml`));
  });

  const linux = { "kubernetes.io/os": "linux" };
  const [master, controlPlane] = ["node-role.kubernetes.io/master", "node-role.kubernetes.io/control-plane"];
  const node = (labels: readonly string[], taint?: string): Node => ({
    name: "m",
    labels: { ...linux, ...Object.fromEntries(labels.map((key) => [key, ""])) },
    taints: taint === undefined ? [] : [{ key: taint, effect: "NoSchedule" }],
    unschedulable: false,
  });
  const worker: Node = { ...node([]), name: "w" };
  const tolerations = [{ key: master, operator: "Exists", effect: "NoSchedule" } as const];
  const tolerated: NodePlacement = { ...placementOf("master"), tolerations };

  // OpenShift's operator lists the nodes, and does not apply a placement by which no DNS pod can be scheduled.
  it.each<[which: string, m: Node, placement: NodePlacement, refused: string | undefined]>([
    ["OpenShift's masters", node([master, controlPlane], master), placementOf("master"), `taint ${master}:NoSchedule`],
    ["OpenShift's masters, tolerated", node([master, controlPlane], master), tolerated, undefined],
    ["masters that take pods", node([master, controlPlane]), placementOf("master"), undefined],
    ["kubeadm's, since 1.24", node([controlPlane], controlPlane), placementOf("master"), `has no label ${master}=""`],
    ["kubeadm's, tolerated", node([controlPlane], controlPlane), tolerated, `has no label ${master}=""`],
  ])("the example for masters, on %s", (_which, m, placement, refused) => {
    for (const kind of kinds) {
      const { cluster, components, workload } = placed(kind, placement);
      const nodes = [m, worker];
      const objects = nodes.map(({ name, labels, taints }) => {
        return { apiVersion: "v1", kind: "Node", metadata: { name, labels }, spec: { taints } };
      });
      const found = preflight(cluster, components, stateOf(objects, [])).problems;
      const problems = found.flatMap(({ path, message }) => (path[0] === "authoritativeDNS" ? message : []));
      const denied = refusePlacement(kind, "coredns", workload, undefined, nodes);
      if (refused === undefined) expect([problems, denied]).toEqual([[], undefined]);
      else expect([problems, denied]).toEqual([[expect.stringContaining(refused)], expect.stringContaining(refused)]);
    }
  });
});

it.each<[what: string, props: object, path: string]>([
  [
    "a nodeSelector is a map, and no LabelSelector",
    { authoritativeDNS: { nodePlacement: { nodeSelector: { matchExpressions: [{ key: "a", operator: "Exists" }] } } } },
    "authoritativeDNS.nodePlacement.nodeSelector.matchExpressions",
  ],
  [
    "what writes hosts files has no placement of its own",
    { nodeResolver: { services: ["registry.infra.svc"], nodePlacement: { nodeSelector: { zone: "a" } } } },
    "nodeResolver.nodePlacement",
  ],
])("%s", (_what, props, path) => {
  const { cluster, problems } = resolve({ ...shortest, ...props });
  expect([cluster, problems?.map((one) => formatPath(one.path))]).toEqual([undefined, [path]]);
});

it.each(["ipvs", "iptables"] as const)("rules of node-local-dns, kube-proxy's mode %s", async (kubeProxyMode) => {
  const nodeLocalDNS = { interception: "link-local", packetFilter: "iptables" } as const;
  const { components } = clusterOf({ ...shortest, clusterDNS: ["192.168.0.10"], kubeProxyMode, nodeLocalDNS });
  if (!components.watchdog) throw new Error("no agent");
  const set = packetRules({ ...components.watchdog.config, cache: true });
  if (set.packetFilter !== "iptables") throw new Error("not iptables");
  const text = renderIptables(set.families[0]?.chains ?? [], set.listeners, "");
  await expect(text).toMatchFileSnapshot(join(__dirname, `rules-${kubeProxyMode}.txt`));
  // With one more match: a packet that the node only forwards must not find a socket of the node.
  const narrowed = "-A NODE-LOCAL-DNS -m socket -m addrtype --dst-type LOCAL -j RETURN";
  const theirs = examples.packetRules[kubeProxyMode].replace("-A NODE-LOCAL-DNS -m socket -j RETURN", narrowed);
  const nat = text.slice(text.indexOf("*nat")).split("\n");
  const inChain = (line: string) => line.startsWith("-A NODE-LOCAL-DNS ");
  expect(nat).toEqual(expect.arrayContaining(theirs.split("\n")));
  expect(nat.filter(inChain)).toEqual(theirs.split("\n").filter(inChain));
});

it("link and rules are compared with what they should be every 60 seconds, as in the document", () => {
  expect(thresholdsOf(defaults.watchdogThresholds).checkIntervalMs).toBe(60_000);
});

it.each(["open", "soft"] as const)("resolv.conf of a tenant's pod, isolation %s", (isolation) => {
  const tenants = [{ name: "baz", namespaces: ["bar"] }];
  const { podDns } = clusterOf({ ...shortest, tenancy: { isolation, tenants } });
  const member = podDns && memberOf(podDns.tenancy, { name: "bar" });
  if (!member) throw new Error("no tenant");
  const { searches, options } = podDnsConfig(podDns, member);
  const text = `search ${searches.join(" ")}\noptions ${options.map(({ name, value }) => `${name}:${value}`).join(" ")}`;
  expect(text).toBe(examples.resolvConfs[isolation]);
});

it("the upstream Service has the document's selector and ports, and Kubernetes' own name for it", () => {
  const { object } = render(
    (chart) => new NodeLocalDns(chart, "cache", { ...shortest, agentImage: "none", nodeResolver: undefined }),
  );
  const theirs = parse(examples.upstreamService) as {
    spec: { selector: object; ports: { name: string; port: number; protocol?: string }[] };
  };
  const { metadata, spec } = object("Service", "kube-dns-upstream");
  expect(spec).toMatchObject({
    selector: theirs.spec.selector,
    ports: theirs.spec.ports.map((port) => ({ protocol: "TCP", ...port })),
  });
  // Nothing here is applied by the addon manager, which the document's other two labels are for.
  expect(metadata?.labels).toMatchObject({ "k8s-app": "kube-dns", "kubernetes.io/name": "KubeDNSUpstream" });
});

// What writes hosts files leaves the file beside them alone: test/agent/hosts-file.
it("of our pods only the node-resolver has the folder of the node's resolv.conf", () => {
  const cluster = clusterOf({ ...shortest, nodeResolver: { services: ["registry.infra.svc"] } });
  const pods = renderCluster(cluster).components.flatMap(({ objects }) => objects.flatMap(hostPathsOf));
  expect(pods).toEqual([
    ["node-local-dns", "/run/xtables.lock"],
    ["node-resolver", "/etc"],
  ]);
});

function hostPathsOf({ metadata, spec }: { metadata: { name: string }; spec?: unknown }): [string, string][] {
  const { template } = (spec ?? {}) as { template?: { spec?: { volumes?: { hostPath?: { path: string } }[] } } };
  return (template?.spec?.volumes ?? []).flatMap(({ hostPath }) => (hostPath ? [[metadata.name, hostPath.path]] : []));
}
