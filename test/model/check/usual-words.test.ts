import { expect, it } from "vitest";
import { usualWord } from "../../../src/model/check/usual-words";
import { schema } from "../../schema";
import { problemsOf } from "./problems";

const atTop = "put the keys of a cluster at the top: a cluster file is no object";
const byFile = "a cluster is named by its file, NAME.yaml";

it.each<[key: string, value: unknown, message: string]>([
  ["spec", {}, `unknown key; ${atTop}`],
  ["name", "prod", `unknown key; ${byFile}`],
  ["namespace", "dns", "unknown key; the cluster's DNS is in kube-system"],
  ["mode", "ipvs", "unknown key; did you mean kubeProxyMode?"],
  ["forward", [], "unknown key; did you mean upstreamNameservers?"],
  ["hosts", {}, "unknown key; did you mean hostAliases?"],
  ["CoreDNS", {}, "unknown key; did you mean authoritativeDNS?"],
  ["nodeCache", {}, "unknown key; did you mean nodeLocalDNS?"],
  ["logging", true, "unknown key; did you mean queryLog?"],
  ["prometheus", {}, "unknown key; did you mean monitoring?"],
  ["version", "1.34", "unknown key; did you mean kubernetesVersion?"],
  ["cilium", true, "unknown key; write cni: cilium"],
  ["tolerations", [], "unknown key; write it into nodePlacement of authoritativeDNS or nodeLocalDNS"],
  [
    "nodeLocalDNS.priorityClassName",
    "a",
    "unknown key; no key sets it: docs/pod-fields.md of cdk8s-cluster-dns says how to",
  ],
  ["authoritativeDNS.autoscaler.minReplicas", 2, "unknown key; did you mean authoritativeDNS.autoscaler.min?"],
  ["zones.a.TXT", ["b"], 'unknown key; write it into records, such as {"@": {A: [10.1.2.3]}}'],
  ["kubeProxyMode", "Cilium", '"Cilium" is not one of iptables, nftables, ipvs, none; write none, and cni: cilium'],
  ["cni", "calico", '"calico" is not one of cilium, other; write other: it is every network plugin but Cilium'],
  ["authoritativeDNS.autoscaler.mode", "hpa", '"hpa" is not one of cluster-proportional, horizontal; write horizontal'],
  ["nodeLocalDNS.watchdog", {}, "{} is a mapping; accepted: true or false; its times are in watchdogThresholds"],
  // Texts that are right when spelt otherwise.
  [
    "imageRegistry",
    "https://m/",
    '"https://m/" is not a registry; accepted: HOST[:PORT][/PATH], without a scheme or a final /; write "m"',
  ],
  [
    "clusterDomain",
    "a.b.",
    '"a.b." is not a cluster domain; accepted: a lower case DNS name such as cluster.local; write "a.b"',
  ],
  // No word of others.
  ["toString", 1, `unknown key; accepted here: ${Object.keys(schema.properties ?? {}).join(", ")}`],
  ["kubeProxyMode", "toString", '"toString" is not one of iptables, nftables, ipvs, none'],
])("%s, %j: %s", (key, value, message) => expect(problemsOf({ [key]: value })).toEqual([`${key}: ${message}`]));

it("no key of ours is a word of others", () => {
  const keys = Object.keys(schema.properties ?? {});
  expect(keys.length).toBeGreaterThan(30);
  expect(keys.filter((key) => usualWord([key]) !== undefined)).toEqual([]);
});
