import type { Namespace } from "./namespace";

/**
 * Installs kube-proxy's nftables rules for this many Services with two endpoints each. Uses a jump per endpoint instead
 * of an anonymous map: the kernel takes a minute to load those, and reading the rules costs the same.
 */
export function writeManyServices(node: Namespace, count: number): void {
  const lines = Array.from({ length: count }, (_, i) => {
    const low = `${(i >> 8) & 255}.${i & 255}`;
    const service = `service-${i}-default/service-${i}/tcp/http`;
    const endpoints = [1, 2].map((k) => ({ chain: `endpoint-${i}-${k}`, ip: `10.${200 + k}.${low}` }));
    return [
      ...endpoints.map(
        ({ chain, ip }) =>
          `chain ${chain} { ip saddr ${ip} meta mark set mark or 0x4000; meta l4proto tcp dnat to ${ip}:80; }`,
      ),
      `chain ${service} { ip daddr 10.100.${low} tcp dport 80 ip saddr != 10.244.0.0/16 meta mark set mark or 0x4000; numgen random mod 2 == 0 goto ${endpoints[0]?.chain}; goto ${endpoints[1]?.chain}; }`,
      `add element ip many service-ips { 10.100.${low} . tcp . 80 : goto ${service} }`,
    ];
  });
  const chains = lines.flatMap((some) => some.slice(0, -1));
  const elements = lines.map((some) => some.at(-1));
  node.run(
    "nft",
    ["-f", "-"],
    `table ip many {\nmap service-ips { type ipv4_addr . inet_proto . inet_service : verdict; }\n${chains.join("\n")}\nchain nat-prerouting { type nat hook prerouting priority -100; ip daddr . meta l4proto . th dport vmap @service-ips; }\n}\n${elements.join("\n")}\n`,
  );
}
