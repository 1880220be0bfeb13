import { describe, expect, it } from "vitest";
import { problemsOf } from "./problems";

describe("what a mode of kube-proxy can do: what is refused, and the message", () => {
  it.each<[message: string, props: object]>([
    [
      "nodeLocalDNS.interception: service-ip cannot work with kubeProxyMode: ipvs: its rules take every packet for the service IP; accepted: link-local",
      { kubeProxyMode: "ipvs", agentImage: "registry.example/agent:1", nodeLocalDNS: { interception: "service-ip" } },
    ],
    [
      "nodeLocalDNS.interception: local-redirect cannot work with kubeProxyMode: iptables: only Cilium does it; accepted: service-ip, link-local",
      { agentImage: "registry.example/agent:1", nodeLocalDNS: { interception: "local-redirect" } },
    ],
    [
      "nodeLocalDNS: is not possible with kubeProxyMode: none, where it is unknown who handles Services; leave it out, or, with Cilium, set cni: cilium",
      { kubeProxyMode: "none", nodeLocalDNS: { interception: "link-local" } },
    ],
    [
      "nodeLocalDNS.interception: link-local cannot work with cni: cilium; accepted: local-redirect",
      { kubeProxyMode: "none", cni: "cilium", nodeLocalDNS: { interception: "link-local" } },
    ],
    [
      "nodeLocalDNS.interception: service-ip cannot work with cni: cilium; accepted: local-redirect",
      { kubeProxyMode: "iptables", cni: "cilium", nodeLocalDNS: { interception: "service-ip" } },
    ],
    [
      "agentImage: is missing: removed takes our programs on each node; build the image in a clone of cdk8s-cluster-dns, `npm run image -- --push REGISTRY/NAME`, and name it here, or set nodeLocalDNS: {state: disabled}",
      { nodeLocalDNS: { state: "removed" } },
    ],
    [
      "agentImage: is missing: draining takes our programs on each node; build the image in a clone of cdk8s-cluster-dns, `npm run image -- --push REGISTRY/NAME`, and name it here, or set nodeLocalDNS: {state: disabled}",
      { kubeProxyMode: "ipvs", nodeLocalDNS: { state: "draining" } },
    ],
    [
      "agentImage: is missing: without it the cache is node-cache, which serves one IP family, but clusterDNS has two; build the image in a clone of cdk8s-cluster-dns, `npm run image -- --push REGISTRY/NAME`, and name it here, or set nodeLocalDNS: {state: disabled}",
      { clusterDNS: ["10.96.0.10", "fd00:96::a"], nodeLocalDNS: {} },
    ],
    [
      "nodeLocalDNS.interception: link-local needs agentImage: without it, pods have no DNS whenever their cache restarts; accepted: service-ip",
      { nodeLocalDNS: { interception: "link-local" } },
    ],
    [
      "nodeLocalDNS.engine: coredns needs agentImage, because it makes no link and rules; leave it out, or set agentImage; accepted: node-cache",
      { nodeLocalDNS: { engine: "coredns" } },
    ],
    [
      "nodeLocalDNS.image: may be an image of CoreDNS, but without agentImage the cache is node-cache; add engine: node-cache, or set agentImage",
      { nodeLocalDNS: { image: "registry.example/coredns:v1.14.7" } },
    ],
    ...Object.entries({
      packetFilter: "iptables",
      markBit: 4096,
      queryLimit: 100,
      watchdog: true,
      watchdogThresholds: {},
    }).map(([key, value]): [string, object] => [
      `nodeLocalDNS.${key}: has no effect without agentImage: node-cache makes its own rules, with iptables; leave it out, or set agentImage`,
      { nodeLocalDNS: { [key]: value } },
    ]),
    [
      "nodeLocalDNS.nodePlacement: leaves pods without DNS on the nodes that it leaves out, because only the cache answers the link-local address; leave it out, or set agentImage",
      { kubeProxyMode: "ipvs", nodeLocalDNS: { nodePlacement: { nodeSelector: { disk: "ssd" } } } },
    ],
    [
      "nodeLocalDNS.packetFilter: iptables cannot reach a Service with kubeProxyMode: nftables; leave it out, or use interception: service-ip",
      {
        kubeProxyMode: "nftables",
        agentImage: "registry.example/agent:1",
        nodeLocalDNS: { interception: "link-local", packetFilter: "iptables" },
      },
    ],
    [
      "nodeLocalDNS.engine: node-cache serves one IP family, but clusterDNS has two; use engine: coredns",
      {
        clusterDNS: ["10.96.0.10", "fd00:96::a"],
        agentImage: "registry.example/agent:1",
        nodeLocalDNS: { engine: "node-cache" },
      },
    ],
    [
      "nodeLocalDNS.state: draining removes what local-redirect never set up; use disabled",
      { kubeProxyMode: "none", cni: "cilium", nodeLocalDNS: { state: "draining" } },
    ],
    [
      "nodeLocalDNS.state: removed removes what local-redirect never set up; use disabled",
      { kubeProxyMode: "none", cni: "cilium", nodeLocalDNS: { state: "removed" } },
    ],
    [
      "nodeLocalDNS.linkLocalAddresses: has no effect with local-redirect: Cilium redirects, not our rules; leave it out",
      { kubeProxyMode: "none", cni: "cilium", nodeLocalDNS: { linkLocalAddresses: ["169.254.20.10"] } },
    ],
    [
      "nodeLocalDNS.packetFilter: has no effect with local-redirect: Cilium redirects, not our rules; leave it out",
      { kubeProxyMode: "none", cni: "cilium", nodeLocalDNS: { packetFilter: "nftables" } },
    ],
    [
      "nodeLocalDNS.markBit: has no effect with local-redirect: Cilium redirects, not our rules; leave it out",
      { kubeProxyMode: "none", cni: "cilium", nodeLocalDNS: { markBit: 4096 } },
    ],
    [
      "nodeLocalDNS.watchdog: has no effect with local-redirect: Cilium redirects, not our rules; leave it out",
      { kubeProxyMode: "none", cni: "cilium", nodeLocalDNS: { watchdog: false } },
    ],
    [
      "nodeLocalDNS.watchdogThresholds: has no effect with watchdog: false; leave one out",
      {
        agentImage: "registry.example/agent:1",
        nodeLocalDNS: { watchdog: false, watchdogThresholds: { failures: 5 } },
      },
    ],
    [
      "nodeLocalDNS.markBit: 3 is not one bit; accepted: 1, 2, 4 ... 2147483648",
      { agentImage: "registry.example/agent:1", nodeLocalDNS: { markBit: 3 } },
    ],
    [
      "nodeLocalDNS.markBit: 16384 belongs to kube-proxy; choose another bit",
      { agentImage: "registry.example/agent:1", nodeLocalDNS: { markBit: 16384 } },
    ],
    [
      "nodeLocalDNS.markBit: 32768 belongs to kube-proxy; choose another bit",
      { agentImage: "registry.example/agent:1", nodeLocalDNS: { markBit: 32768 } },
    ],
    [
      "nodeLocalDNS.watchdog: false leaves pods without DNS on the nodes that nodePlacement leaves out, because only the watchdog sets up their rules; keep it, or let the cache run on every node",
      {
        agentImage: "registry.example/agent:1",
        nodeLocalDNS: { interception: "link-local", watchdog: false, nodePlacement: { nodeSelector: { disk: "ssd" } } },
      },
    ],
    [
      "nodeLocalDNS.watchdog: false leaves pods without DNS on the nodes that nodePlacement leaves out, because only the watchdog sets up their rules; keep it, or let the cache run on every node",
      {
        agentImage: "registry.example/agent:1",
        nodeLocalDNS: { interception: "link-local", watchdog: false, nodePlacement: { tolerations: [] } },
      },
    ],
  ])("%s", (message, props) => {
    expect(problemsOf(props)).toEqual([message]);
  });
});

it.each<[what: string, props: object]>([
  ["no node cache", { nodeLocalDNS: { state: "disabled" } }],
  [
    "a cache that is disabled, whatever else it says",
    { kubeProxyMode: "ipvs", nodeLocalDNS: { state: "disabled", interception: "service-ip" } },
  ],
  ["upstream's cache", { nodeLocalDNS: {} }],
  [
    "upstream's cache on some nodes, from a mirror, at another address",
    {
      nodeLocalDNS: {
        engine: "node-cache",
        image: "mirror.example/node-cache:1.26.8",
        linkLocalAddresses: ["169.254.30.10"],
        nodePlacement: { nodeSelector: { disk: "ssd" } },
      },
    },
  ],
  ["upstream's cache at its own address, on every node", { kubeProxyMode: "ipvs", nodeLocalDNS: {} }],
  ["Cilium beside a kube-proxy", { cni: "cilium", nodeLocalDNS: {} }],
  [
    "no watchdog where every node has a cache",
    {
      agentImage: "registry.example/agent:1",
      nodeLocalDNS: {
        interception: "link-local",
        watchdog: false,
        nodePlacement: { nodeSelector: { "kubernetes.io/os": "linux" }, tolerations: [{ operator: "Exists" }] },
      },
    },
  ],
  [
    "no watchdog where a node without a cache needs no rules",
    {
      agentImage: "registry.example/agent:1",
      nodeLocalDNS: { watchdog: false, nodePlacement: { nodeSelector: { disk: "ssd" } } },
    },
  ],
  ["the highest mark bit", { agentImage: "registry.example/agent:1", nodeLocalDNS: { markBit: 2147483648 } }],
])("accepts %s", (_, props) => {
  expect(problemsOf(props)).toEqual([]);
});
