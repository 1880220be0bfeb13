import { expect, test } from "vitest";
import { iptablesBackend } from "../../../../src/model/packet-rules/iptables/backend";

test.each([
  ["the kubelet's hint says nft", { nft: ":KUBE-IPTABLES-HINT - [0:0]\n", legacy: "-A X\n-A Y\n" }, "nft"],
  ["the kubelet's canary says legacy", { nft: "-A X\n-A Y\n", legacy: ":KUBE-KUBELET-CANARY - [0:0]\n" }, "legacy"],
  ["both have it", { nft: ":KUBE-KUBELET-CANARY - [0:0]\n", legacy: ":KUBE-KUBELET-CANARY - [0:0]\n" }, "nft"],
  ["more rules are legacy", { nft: "-A X\n", legacy: "-A X\n-A Y\n" }, "legacy"],
  ["there are none", { nft: "", legacy: "" }, "nft"],
] as const)("%s", (_why, saved, backend) => expect(iptablesBackend(saved)).toBe(backend));
