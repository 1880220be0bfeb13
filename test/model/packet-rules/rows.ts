import { packetRules } from "../../../src/model/packet-rules/packet-rules";
import type { RuleInput } from "../../../src/model/packet-rules/rule-input";
import type { IptablesRuleSet, NftRuleSet } from "../../../src/model/packet-rules/rule-set";

/** A row of the mode table, IPv4. */
export function ruleInput(overrides: Partial<RuleInput> = {}): RuleInput {
  return {
    interception: "service-ip",
    kubeProxyMode: "iptables",
    packetFilter: "nftables",
    serviceIPs: ["10.96.0.10"],
    linkLocalIPs: ["169.254.20.10"],
    markBit: 0x1000,
    linkName: "nodelocaldns",
    clusterDNSService: { namespace: "kube-system", name: "kube-dns", udpPort: "dns", tcpPort: "dns-tcp" },
    cache: true,
    ...overrides,
  };
}

/** The rules of `ruleInput` for nftables. */
export function nftRuleSet(overrides: Partial<RuleInput> = {}): NftRuleSet {
  return packetRules(ruleInput({ ...overrides, packetFilter: "nftables" })) as NftRuleSet;
}

/** The rules of `ruleInput` for iptables. */
export function iptablesRuleSet(overrides: Partial<RuleInput> = {}): IptablesRuleSet {
  return packetRules(ruleInput({ ...overrides, packetFilter: "iptables" })) as IptablesRuleSet;
}

const modes = [
  { interception: "service-ip", kubeProxyMode: "iptables" },
  { interception: "service-ip", kubeProxyMode: "nftables" },
  { interception: "link-local", kubeProxyMode: "iptables" },
  { interception: "link-local", kubeProxyMode: "nftables" },
  { interception: "link-local", kubeProxyMode: "ipvs" },
] as const;

const families = {
  IPv4: {},
  IPv6: { serviceIPs: ["fd00:96::a"], linkLocalIPs: ["fd00:169:254:20::10"] },
  dual: { serviceIPs: ["10.96.0.10", "fd00:96::a"], linkLocalIPs: ["169.254.20.10", "fd00:169:254:20::10"] },
} as const;

/** Every combination that has rules, with a name. */
export const rows: readonly (readonly [name: string, input: RuleInput])[] = modes.flatMap((mode) =>
  (["nftables", "iptables"] as const)
    .filter(
      (packetFilter) =>
        !(packetFilter === "iptables" && mode.interception === "link-local" && mode.kubeProxyMode === "nftables"),
    )
    .flatMap((packetFilter) =>
      Object.entries(families).flatMap(([family, addresses]) =>
        [true, false].map(
          (cache) =>
            [
              `${mode.interception}, kube-proxy ${mode.kubeProxyMode}, ${packetFilter}, ${family}${cache ? "" : ", draining"}`,
              ruleInput({ ...mode, packetFilter, ...addresses, cache }),
            ] as const,
        ),
      ),
    ),
);
