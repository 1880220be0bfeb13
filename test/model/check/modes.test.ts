import { describe, expect, it } from "vitest";
import { agentImage, cilium, problemsOf } from "./problems";

describe("what a mode of kube-proxy can do: what is refused, and the message", () => {
  it.each<[message: string, props: object]>([
    [
      "nodeLocalDNS.interception: service-ip cannot work with kubeProxyMode: ipvs",
      { kubeProxyMode: "ipvs", agentImage, "nodeLocalDNS.interception": "service-ip" },
    ],
    ["nodeLocalDNS.interception: local-redirect cannot", { agentImage, "nodeLocalDNS.interception": "local-redirect" }],
    ["nodeLocalDNS: is not possible with", { kubeProxyMode: "none", "nodeLocalDNS.interception": "link-local" }],
    ["nodeLocalDNS.interception: link-local cannot work", { ...cilium, "nodeLocalDNS.interception": "link-local" }],
    [
      "nodeLocalDNS.interception: service-ip cannot",
      { kubeProxyMode: "iptables", cni: "cilium", "nodeLocalDNS.interception": "service-ip" },
    ],
    ["agentImage: is missing: removed takes our programs on each node", { "nodeLocalDNS.state": "removed" }],
    ["agentImage: is missing: draining takes our", { kubeProxyMode: "ipvs", "nodeLocalDNS.state": "draining" }],
    ["agentImage: is missing: without it the cache is", { clusterDNS: ["10.96.0.10", "fd00:96::a"], nodeLocalDNS: {} }],
    ["nodeLocalDNS.interception: link-local needs agentImage: without", { "nodeLocalDNS.interception": "link-local" }],
    ["nodeLocalDNS.engine: coredns needs agentImage, because it makes no link", { "nodeLocalDNS.engine": "coredns" }],
    ["nodeLocalDNS.image: may be an image of CoreDNS,", { "nodeLocalDNS.image": "registry.example/coredns:v1.14.7" }],
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
      "nodeLocalDNS.nodePlacement: leaves pods without",
      { kubeProxyMode: "ipvs", "nodeLocalDNS.nodePlacement.nodeSelector": { disk: "ssd" } },
    ],
    [
      "nodeLocalDNS.packetFilter: iptables cannot reach",
      { kubeProxyMode: "nftables", agentImage, nodeLocalDNS: { interception: "link-local", packetFilter: "iptables" } },
    ],
    [
      "nodeLocalDNS.engine: node-cache serves one",
      { clusterDNS: ["10.96.0.10", "fd00:96::a"], agentImage, "nodeLocalDNS.engine": "node-cache" },
    ],
    ["nodeLocalDNS.state: draining removes what local-redirect never", { ...cilium, "nodeLocalDNS.state": "draining" }],
    ["nodeLocalDNS.state: removed removes what local-redirect never", { ...cilium, "nodeLocalDNS.state": "removed" }],
    [
      "nodeLocalDNS.linkLocalAddresses: has no effect with",
      { ...cilium, "nodeLocalDNS.linkLocalAddresses": ["169.254.20.10"] },
    ],
    ["nodeLocalDNS.packetFilter: has no effect with", { ...cilium, "nodeLocalDNS.packetFilter": "nftables" }],
    ["nodeLocalDNS.markBit: has no effect with local-redirect: Cilium", { ...cilium, "nodeLocalDNS.markBit": 4096 }],
    ["nodeLocalDNS.watchdog: has no effect with local-redirect: Cilium", { ...cilium, "nodeLocalDNS.watchdog": false }],
    [
      "nodeLocalDNS.watchdogThresholds: has no effect with",
      { agentImage, nodeLocalDNS: { watchdog: false, watchdogThresholds: { failures: 5 } } },
    ],
    ["nodeLocalDNS.markBit: 3 is not one bit", { agentImage, "nodeLocalDNS.markBit": 3 }],
    ["nodeLocalDNS.markBit: 16384 belongs to kube-proxy", { agentImage, "nodeLocalDNS.markBit": 16384 }],
    ["nodeLocalDNS.markBit: 32768 belongs to kube-proxy", { agentImage, "nodeLocalDNS.markBit": 32768 }],
    [
      "nodeLocalDNS.watchdog: false leaves pods",
      {
        agentImage,
        nodeLocalDNS: { interception: "link-local", watchdog: false, nodePlacement: { nodeSelector: { disk: "ssd" } } },
      },
    ],
    [
      "nodeLocalDNS.watchdog: false leaves pods",
      { agentImage, nodeLocalDNS: { interception: "link-local", watchdog: false, nodePlacement: { tolerations: [] } } },
    ],
  ])("%s", (message, props) => expect(problemsOf(props)).toEqual([expect.stringContaining(message)]));
});

it.each<[what: string, props: object]>([
  ["no node cache", { "nodeLocalDNS.state": "disabled" }],
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
      agentImage,
      nodeLocalDNS: {
        interception: "link-local",
        watchdog: false,
        nodePlacement: { nodeSelector: { "kubernetes.io/os": "linux" }, tolerations: [{ operator: "Exists" }] },
      },
    },
  ],
  [
    "no watchdog where a node without a cache needs no rules",
    { agentImage, nodeLocalDNS: { watchdog: false, nodePlacement: { nodeSelector: { disk: "ssd" } } } },
  ],
  ["the highest mark bit", { agentImage, "nodeLocalDNS.markBit": 2147483648 }],
])("accepts %s", (_, props) => expect(problemsOf(props)).toEqual([]));
