import { expect, test } from "vitest";
import type { AgentConfig } from "../../../src/model/agent-config/agent-config";
import { checkAgentConfig } from "../../../src/model/agent-config/check";
import { formatPath } from "../../../src/model/syntax/problem";

const good: AgentConfig = {
  version: 1,
  state: "enabled",
  watchdog: true,
  interception: "service-ip",
  kubeProxyMode: "iptables",
  packetFilter: "nftables",
  serviceIPs: ["10.96.0.10", "fd00:96::a"],
  linkLocalIPs: ["169.254.20.10", "fd00:169:254:20::10"],
  markBit: 4096,
  linkName: "nodelocaldns",
  clusterDNSService: { namespace: "kube-system", name: "kube-dns", udpPort: "dns", tcpPort: "dns-tcp" },
  healthZone: "health.node-local-dns.internal",
  clusterZone: { name: "kubernetes.default.svc.cluster.local", servers: ["$KUBE_DNS_UPSTREAM_SERVICE_HOST"] },
  metrics: { port: 9254 },
  thresholds: { probeInterval: 500 },
};

test("what the constructs write is taken as it is", () => {
  expect(checkAgentConfig(good)).toEqual({ config: good });
});

test.each<readonly [string, object, string, RegExp]>([
  ["a version of later", { version: 2 }, "version", /got 2, accepted: 1/],
  ["an unknown key", { healthzone: "x" }, "healthzone", /unknown key; accepted are version, state/],
  ["a missing key", { healthZone: undefined }, "healthZone", /is missing/],
  ["a name for an address", { serviceIPs: ["kube-dns"] }, "serviceIPs[0]", /got "kube-dns", accepted is an IP address/],
  ["a loopback address", { linkLocalIPs: ["127.0.0.1"] }, "linkLocalIPs[0]", /which is a loopback address/],
  ["no address", { serviceIPs: [] }, "serviceIPs", /accepted is a list of at least 1/],
  ["a mark of two bits", { markBit: 0x3000 }, "markBit", /got 12288, accepted is a number with one bit set/],
  ["a link name that nft or ip would take for more", { linkName: "a b; delete" }, "linkName", /got "a b; delete"/],
  ["a link name that is too long", { linkName: "node-local-dns-1" }, "linkName", /at most 15/],
  [
    "a variable with odd letters",
    { clusterZone: { ...good.clusterZone, servers: ["$a b"] } },
    "clusterZone.servers[0]",
    /as \$NAME/,
  ],
  ["a port out of range", { metrics: { port: 70_000 } }, "metrics.port", /1 to 65535/],
  ["service-ip under ipvs", { kubeProxyMode: "ipvs" }, "interception", /set link-local/],
  [
    "iptables rules before kube-proxy's nftables",
    { interception: "link-local", kubeProxyMode: "nftables", packetFilter: "iptables" },
    "packetFilter",
    /set nftables, or interception service-ip/,
  ],
  [
    "two of a family",
    { serviceIPs: ["10.96.0.10", "10.96.0.11"], linkLocalIPs: ["169.254.20.10"] },
    "serviceIPs",
    /two of one family/,
  ],
  [
    "a link-local address without a Service",
    { serviceIPs: ["10.96.0.10"] },
    "linkLocalIPs[1]",
    /has no service IP of its family/,
  ],
  [
    "the service IP where probes come from",
    { serviceIPs: ["169.254.20.11"], linkLocalIPs: ["169.254.20.10"] },
    "linkLocalIPs[0]",
    /must not be service IPs/,
  ],
  [
    "late after the timeout",
    { thresholds: { probeLate: 300 } },
    "thresholds.probeLate",
    /more than probeTimeout \(100\)/,
  ],
  [
    "a host timeout that one refresh misses",
    { thresholds: { countInterval: 30_000 } },
    "thresholds.hostTimeout",
    /less than two countIntervals/,
  ],
  ["an unknown threshold", { thresholds: { retries: 3 } }, "thresholds.retries", /unknown key/],
])("%s is refused where it stands", (_name, change, path, message) => {
  const { problems = [] } = checkAgentConfig({ ...good, ...change });
  expect(problems.map((problem) => formatPath(problem.path))).toEqual([path]);
  expect(problems[0]?.message).toMatch(message);
});

test("every problem at once", () => {
  const { problems = [] } = checkAgentConfig({ ...good, version: 0, markBit: 3, metrics: { port: "x" } });
  expect(problems.map((problem) => formatPath(problem.path))).toEqual(["version", "markBit", "metrics.port"]);
});

test.each([null, [], "text", 3])("%j is no configuration", (value) => {
  expect(checkAgentConfig(value).problems?.[0]?.message).toMatch(/accepted is an object with version/);
});
