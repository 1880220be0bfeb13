import { expect, it } from "vitest";
import { endpointsIn } from "../../rig/cluster/led-to-pods";

const iptables = `
-A KUBE-SVC-ERIFXISQEP7F7OF4 -m comment --comment "kube-system/kube-dns:dns-tcp -> 10.244.1.2:53" -m statistic --mode random --probability 0.50000000000 -j KUBE-SEP-BWHGELGX6BITPZVO
-A KUBE-SVC-ERIFXISQEP7F7OF4 -m comment --comment "kube-system/kube-dns:dns-tcp -> [fd00:10:244:1::2]:53" -j KUBE-SEP-R75T7LXI5PWKQPQA
-A KUBE-SVC-NPX46M4PTMTKRN6Y -m comment --comment "default/kubernetes:https -> 172.30.0.1:6443" -j KUBE-SEP-H7H6QHAVJGEHKOHM
`;
const nftables = `table ip kube-proxy {
	chain service-FY5PMXPG-kube-system/kube-dns/udp/dns {
		meta l4proto udp dnat ip to numgen random mod 2 map { 0 : 10.244.1.2 . 53, 1 : fd00:10:244:1::2 . 53 }
	}

	chain service-2QRHZV4L-default/kubernetes/tcp/https {
		meta l4proto tcp dnat to 172.30.0.1:6443
	}
}
`;

it.each([
  ["iptables", iptables],
  ["nftables", nftables],
])("reads where kube-proxy leads in %s mode, as Kubernetes 1.37 writes it", (_, rules) => {
  expect(endpointsIn(rules, "kube-system/kube-dns")).toEqual(["10.244.1.2", "fd00:10:244:1::2"]);
  expect(endpointsIn(rules, "default/kubernetes")).toEqual(["172.30.0.1"]);
  expect(endpointsIn(rules, "default/nobody")).toEqual([]);
});
