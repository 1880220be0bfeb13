import { kubeSvcChain } from "../../src/model/packet-rules/iptables/kube-svc-chain";
import { familyOf } from "../../src/model/syntax/addresses";
import type { Namespace } from "./namespace";

/** One Service on port 53, UDP and TCP, and its only pod. */
export interface Service {
  readonly name: string;
  readonly ip: string;
  readonly endpoint: string;
}

/** Installs a node's Service rules as kube-proxy writes them (v1.37, without clusterCIDR). */
export function writeServices(
  node: Namespace,
  mode: "iptables" | "nftables",
  services: readonly Service[],
  backend: "legacy" | "nft" = "legacy",
): void {
  for (const family of ["IPv4", "IPv6"] as const) {
    const own = services.filter((service) => familyOf(service.ip) === family);
    if (own.length === 0) continue;
    if (mode === "nftables") node.run("nft", ["-f", "-"], nftables(family, own));
    else
      node.run(
        `${family === "IPv4" ? "iptables" : "ip6tables"}-${backend}-restore`,
        ["--noflush"],
        iptables(family, own),
      );
  }
}

/** What kube-proxy does once no Service has an endpoint: it refuses in every filter hook. */
export function removeEndpoints(
  node: Namespace,
  mode: "iptables" | "nftables",
  { service }: { service: string },
): void {
  const [ip, tool, length] =
    familyOf(service) === "IPv4" ? ["ip", "iptables-legacy", 32] : ["ip6", "ip6tables-legacy", 128];
  if (mode === "nftables") {
    const table = `${ip} kube-proxy`;
    const refuseIn = (hook: string, priority: number) => [
      `add chain ${table} filter-${hook} { type filter hook ${hook} priority ${priority}; }`,
      `add rule ${table} filter-${hook} ct state new jump cluster-ips-check`,
    ];
    node.run("nft", [
      [
        `flush map ${table} service-ips`,
        ...refuseIn("input", -110),
        // Of chains with one priority, the youngest comes first: as if kube-proxy had started after us.
        `flush chain ${table} filter-output`,
        `delete chain ${table} filter-output`,
        ...refuseIn("output", 0),
      ].join("; "),
    ]);
    return;
  }
  node.run(tool, ["-t", "nat", "-F", "KUBE-SERVICES"]);
  for (const { protocol } of ports)
    for (const chain of ["INPUT", "FORWARD", "OUTPUT"])
      // What the cache takes is not tracked.
      node.run(
        tool,
        `-A ${chain} -m conntrack --ctstate NEW -d ${service}/${length} -p ${protocol} --dport 53 -j REJECT`.split(" "),
      );
}

const ports = [
  { protocol: "udp", port: "dns" },
  { protocol: "tcp", port: "dns-tcp" },
] as const;

function iptables(family: "IPv4" | "IPv6", services: readonly Service[]): string {
  const length = family === "IPv4" ? 32 : 128;
  const to = (address: string) => (family === "IPv4" ? address : `[${address}]`);
  const all = services.flatMap((service) =>
    ports.map(({ protocol, port }) => {
      const svc = kubeSvcChain({ namespace: "kube-system", name: service.name, port, protocol });
      return { ...service, protocol, svc, sep: svc.replace("SVC", "SEP") };
    }),
  );
  return [
    "*nat",
    ...[
      ":KUBE-SERVICES",
      ":KUBE-POSTROUTING",
      ":KUBE-MARK-MASQ",
      ...all.flatMap(({ svc, sep }) => [`:${svc}`, `:${sep}`]),
    ].map((c) => `${c} - [0:0]`),
    '-A PREROUTING -m comment --comment "kubernetes service portals" -j KUBE-SERVICES',
    '-A OUTPUT -m comment --comment "kubernetes service portals" -j KUBE-SERVICES',
    '-A POSTROUTING -m comment --comment "kubernetes postrouting rules" -j KUBE-POSTROUTING',
    "-A KUBE-MARK-MASQ -j MARK --or-mark 0x4000",
    "-A KUBE-POSTROUTING -m mark ! --mark 0x4000/0x4000 -j RETURN",
    "-A KUBE-POSTROUTING -j MARK --xor-mark 0x4000",
    "-A KUBE-POSTROUTING -j MASQUERADE --random-fully",
    ...all.flatMap(({ ip, endpoint, protocol, svc, sep }) => [
      `-A KUBE-SERVICES -d ${ip}/${length} -p ${protocol} -m ${protocol} --dport 53 -j ${svc}`,
      `-A ${svc} -j ${sep}`,
      `-A ${sep} -s ${endpoint}/${length} -j KUBE-MARK-MASQ`,
      `-A ${sep} -p ${protocol} -m ${protocol} -j DNAT --to-destination ${to(endpoint)}:53`,
    ]),
    "COMMIT",
    "",
  ].join("\n");
}

function nftables(family: "IPv4" | "IPv6", services: readonly Service[]): string {
  const ip = family === "IPv4" ? "ip" : "ip6";
  const type = family === "IPv4" ? "ipv4_addr" : "ipv6_addr";
  const to = (address: string) => (family === "IPv4" ? address : `[${address}]`);
  const all = services.flatMap((service) =>
    ports.map(({ protocol, port }) => ({
      ...service,
      protocol,
      chain: `service-XXXXXXXX-kube-system/${service.name}/${protocol}/${port}`,
    })),
  );
  return [
    `table ${ip} kube-proxy {`,
    `set cluster-ips { type ${type}; elements = { ${services.map((s) => s.ip).join(", ")} } }`,
    "chain mark-for-masquerade { meta mark set meta mark or 0x4000; }",
    "chain masquerading { meta mark and 0x4000 == 0 return; meta mark set meta mark xor 0x4000; masquerade fully-random; }",
    "chain cluster-ips-check {",
    `${ip} daddr @cluster-ips reject comment "Reject traffic to invalid ports of ClusterIPs"`,
    "}",
    ...all.flatMap(({ endpoint, protocol, chain }) => {
      const endpointChain = chain.replace("service-", "endpoint-");
      return [
        `chain ${endpointChain} { ${ip} saddr ${endpoint} jump mark-for-masquerade; meta l4proto ${protocol} dnat to ${to(endpoint)}:53; }`,
        `chain ${chain} { numgen random mod 1 vmap { 0 : goto ${endpointChain} }; }`,
      ];
    }),
    `map service-ips { type ${type} . inet_proto . inet_service : verdict; elements = { ${all.map((s) => `${s.ip} . ${s.protocol} . 53 : goto ${s.chain}`).join(", ")} } }`,
    `chain services { ${ip} daddr . meta l4proto . th dport vmap @service-ips; }`,
    "chain filter-forward { type filter hook forward priority -110; ct state new jump cluster-ips-check; }",
    "chain filter-output { type filter hook output priority 0; ct state new jump cluster-ips-check; }",
    "chain nat-prerouting { type nat hook prerouting priority -100; jump services; }",
    "chain nat-output { type nat hook output priority -100; jump services; }",
    "chain nat-postrouting { type nat hook postrouting priority 100; jump masquerading; }",
    "}",
    "",
  ].join("\n");
}
