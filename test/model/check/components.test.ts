import { expect, it } from "vitest";
import { agentImage, problemsOf } from "./problems";

const horizontalWith = (limits: object) => {
  return { authoritativeDNS: { autoscaler: { mode: "horizontal" }, resources: { limits } } };
};
const near = { kubernetesVersion: "1.34", trafficDistribution: "PreferSameZone" };

it.each<[message: string, props: object]>([
  ["authoritativeDNS.replicas: has no effect on the DNS a", { authoritativeDNS: { kind: "Existing", replicas: 2 } }],
  ["trafficDistribution: has no effect on the DNS a", { agentImage, ...near, "authoritativeDNS.kind": "Existing" }],
  ["authoritativeDNS.replicas: is set together with", { authoritativeDNS: { replicas: 2, autoscaler: {} } }],
  ["authoritativeDNS.replicas: has no effect with kind:", { authoritativeDNS: { kind: "DaemonSet", replicas: 2 } }],
  ["authoritativeDNS.autoscaler: has no effect with", { authoritativeDNS: { kind: "DaemonSet", autoscaler: {} } }],
  ["authoritativeDNS.autoscaler.max: 3 is less than min,", { "authoritativeDNS.autoscaler": { min: 5, max: 3 } }],
  ["authoritativeDNS.autoscaler.max: 1 is less than min, which is 2", { "authoritativeDNS.autoscaler.max": 1 }],
  ["autoscaler.nodesPerReplica: has", { "authoritativeDNS.autoscaler": { mode: "horizontal", nodesPerReplica: 16 } }],
  [
    "cpuUtilization: has no effect with mode: cluster-proportional; leave it out, or set mode: horizontal",
    { "authoritativeDNS.autoscaler.cpuUtilization": 50 },
  ],
  ["authoritativeDNS.autoscaler.mode: horizontal goes by", horizontalWith({ memory: "1Gi" })],
  ...["resolv.conf", "/", "/etc/", "/proc/self/../../etc", "/etc/."].map((resolvConf): [string, object] => [
    `resolvConf: "${resolvConf}" is not the absolute path of a file; accepted: /FOLDER/FILE, without . and ..`,
    { resolvConf },
  ]),
  ['resolvConf: "" leaves CoreDNS no servers for names outside the cluster', { resolvConf: "" }],
  ...[undefined, ["192.0.2.53"]].map((upstreamNameservers): [string, object] => [
    'resolvConf: "" leaves the DNS that the cluster already has no servers for names outside: it asks those of its node, and upstreamNameservers do not reach it; leave resolvConf out, name a file, or choose another authoritativeDNS.kind',
    { resolvConf: "", upstreamNameservers, authoritativeDNS: { kind: "Existing" } },
  ]),
  ['resolvConf: "/etc/resolv.conf\\nclusterDomain: evil"', { resolvConf: "/etc/resolv.conf\nclusterDomain: evil" }],
])("options that exclude each other: what is refused, and the message: %s", (message, props) =>
  expect(problemsOf(props)).toEqual([expect.stringContaining(message)]),
);

it.each<[what: string, props: object]>([
  ["an autoscaler alone", { "authoritativeDNS.autoscaler": {} }],
  ["one that goes by the load", { "authoritativeDNS.autoscaler": { mode: "horizontal", cpuUtilization: 50 } }],
  ["one whose CPU is a limit, which the API server takes as the request too", horizontalWith({ cpu: 1 })],
  ["one that stays at one pod", { "authoritativeDNS.autoscaler": { min: 1, max: 1 } }],
  ["near pods of a DNS that node-cache asks through its own Service", { ...near, "authoritativeDNS.kind": "Existing" }],
  ["a path with dots", { resolvConf: "/etc/..data/.resolv.conf" }],
  ["a path", { resolvConf: "/run/systemd/resolve/resolv.conf" }],
  ["no file, with servers", { resolvConf: "", upstreamNameservers: ["192.0.2.53"] }],
])("accepts %s", (_, props) => expect(problemsOf(props)).toEqual([]));
