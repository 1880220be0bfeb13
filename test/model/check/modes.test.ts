import { expect, it } from "vitest";
import { agentImage, beginnings, cilium, problemsOf } from "./problems";

const unwatched = { interception: "link-local", watchdog: false };

const [ipvs, dual] = [{ kubeProxyMode: "ipvs" }, { clusterDNS: ["10.96.0.10", "fd00:96::a"] }];
const [ours, ssd, serviceIp] = [{ agentImage }, { nodeSelector: { disk: "ssd" } }, { interception: "service-ip" }];
const linkByIptables = { interception: "link-local", packetFilter: "iptables" };
const ofAgent = { packetFilter: "iptables", markBit: 4096, queryLimit: 100, watchdog: true, watchdogThresholds: {} };
it.each<[message: string, nodeLocalDNS: object, more?: object]>([
  ["interception: service-ip cannot work with kubeProxyMode: ipvs", serviceIp, { ...ipvs, ...ours }],
  ["interception: local-redirect cannot", { interception: "local-redirect" }, ours],
  ["nodeLocalDNS: is not possible with", { interception: "link-local" }, { kubeProxyMode: "none" }],
  ["interception: link-local cannot work", { interception: "link-local" }, cilium],
  ["interception: service-ip cannot", { interception: "service-ip" }, { kubeProxyMode: "iptables", cni: "cilium" }],
  ["state: needs agentImage: removed takes our programs on each node", { state: "removed" }],
  ["state: needs agentImage: draining takes our", { state: "draining" }, ipvs],
  ["nodeLocalDNS: needs agentImage: without it the cache is", {}, dual],
  ["interception: link-local needs agentImage: without", { interception: "link-local" }],
  ["engine: coredns needs agentImage, because it makes no link", { engine: "coredns" }],
  ["image: may be an image of CoreDNS,", { image: "registry.example/coredns:v1.14.7" }],
  ...Object.entries(ofAgent).map(([key, value]): [string, object] => [
    `${key}: has no effect without agentImage: node-cache makes`,
    { [key]: value },
  ]),
  ["nodePlacement: leaves pods without", { nodePlacement: ssd }, ipvs],
  ["packetFilter: iptables cannot reach", linkByIptables, { kubeProxyMode: "nftables", ...ours }],
  ["engine: node-cache serves one", { engine: "node-cache" }, { ...dual, ...ours }],
  ["state: draining removes what local-redirect never", { state: "draining" }, cilium],
  ["state: removed removes what local-redirect never", { state: "removed" }, cilium],
  ["linkLocalAddresses: has no effect with", { linkLocalAddresses: ["169.254.20.10"] }, cilium],
  ["packetFilter: has no effect with", { packetFilter: "nftables" }, cilium],
  ["markBit: has no effect with local-redirect: Cilium", { markBit: 4096 }, cilium],
  ["watchdog: has no effect with local-redirect: Cilium", { watchdog: false }, cilium],
  ["watchdogThresholds: has no effect with", { watchdog: false, watchdogThresholds: { failures: 5 } }, ours],
  ["markBit: 3 is not one bit", { markBit: 3 }, ours],
  ["markBit: 16384 belongs to kube-proxy", { markBit: 16384 }, ours],
  ["markBit: 32768 belongs to kube-proxy", { markBit: 32768 }, ours],
  ["watchdog: false leaves pods", { ...unwatched, nodePlacement: ssd }, ours],
  ["watchdog: false leaves pods", { ...unwatched, nodePlacement: { tolerations: [] } }, ours],
])("what a mode of kube-proxy can do: what is refused, and the message: %s", (message, nodeLocalDNS, more) => {
  expect(beginnings(message, "nodeLocalDNS", nodeLocalDNS, more)).toEqual([message]);
});

const image = "mirror.example/node-cache:1.26.8";
const mirrored = { engine: "node-cache", image, linkLocalAddresses: ["169.254.30.10"] };
const onSsd = { nodeSelector: { disk: "ssd" } };
const onAll = { nodeSelector: { "kubernetes.io/os": "linux" }, tolerations: [{ operator: "Exists" }] };
it.each<[what: string, props: object]>([
  ["no node cache", { "nodeLocalDNS.state": "disabled" }],
  ["a disabled cache", { kubeProxyMode: "ipvs", nodeLocalDNS: { state: "disabled", interception: "service-ip" } }],
  ["upstream's cache", { nodeLocalDNS: {} }],
  ["upstream's cache on some nodes, mirrored, elsewhere", { nodeLocalDNS: { ...mirrored, nodePlacement: onSsd } }],
  ["upstream's cache at its own address, on every node", { kubeProxyMode: "ipvs", nodeLocalDNS: {} }],
  ["Cilium beside a kube-proxy", { cni: "cilium", nodeLocalDNS: {} }],
  ["no watchdog where every node has a cache", { agentImage, nodeLocalDNS: { ...unwatched, nodePlacement: onAll } }],
  ["no watchdog", { agentImage, nodeLocalDNS: { watchdog: false, nodePlacement: onSsd } }],
  ["the highest mark bit", { agentImage, "nodeLocalDNS.markBit": 2147483648 }],
])("accepts %s", (_, props) => expect(problemsOf(props)).toEqual([]));
