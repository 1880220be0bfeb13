import { expect, test } from "vitest";
import { kubeSvcChain } from "../../../../src/model/packet-rules/iptables/kube-svc-chain";

test.each([
  ["kube-dns", "dns", "udp", "KUBE-SVC-TCOU7JCQXEZGVUNU"],
  ["kube-dns", "dns-tcp", "tcp", "KUBE-SVC-ERIFXISQEP7F7OF4"],
  ["kube-dns-upstream", "dns", "udp", "KUBE-SVC-FXR4M2CWOGAZGGYD"],
  ["kube-dns-upstream", "dns-tcp", "tcp", "KUBE-SVC-BRK3P4PPQWCLKOAN"],
] as const)("%s:%s %s is %s, as kube-proxy names it", (name, port, protocol, chain) => {
  expect(kubeSvcChain({ namespace: "kube-system", name, port, protocol })).toBe(chain);
});
