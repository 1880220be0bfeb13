import { expect, it } from "vitest";
import schema from "../../clusters/schema.json";
import { defaults } from "../../src/model/defaults";
import { fillIn } from "../../src/model/full-props/fill-in";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";

type Values = { readonly [key: string]: unknown };
type Table = { readonly [part in keyof typeof defaults]: unknown };

interface Part {
  readonly description?: string;
  readonly default?: unknown;
}

const definitions = schema.definitions as unknown as { readonly [name: string]: Definition };

interface Definition {
  readonly properties?: { readonly [key: string]: Part & Choice & { readonly anyOf?: readonly Choice[] } };
}

interface Choice {
  readonly $ref?: string;
}

/** The part of the table that belongs to each interface of the cluster file: that of its key, or another. */
const partOf: { readonly [definition: string]: keyof Table } = {
  ...Object.fromEntries(
    [schema as unknown as Definition, ...Object.values(definitions)]
      .flatMap(({ properties = {} }) => Object.entries(properties))
      .flatMap(([key, { $ref, anyOf = [] }]) =>
        [$ref, ...anyOf.map((choice) => choice.$ref)].flatMap((ref) => {
          const name = ref?.split("/").at(-1) ?? "";
          // Those of caches are told in words: each cache has others.
          const isOwn = key in defaults && key !== "cache";
          return isOwn && definitions[name]?.properties ? [[name, key as keyof Table]] : [];
        }),
      ),
  ),
  DnsServiceOptions: "dnsService",
  DnsPortNames: "dnsPortNames",
  Rewrite: "rewrite",
  Zone: "zone",
  ForwardOptions: "forwardOptions",
  ZoneServers: "zoneServers",
  ZoneTemplate: "zoneTemplate",
  Toleration: "toleration",
  FluxSource: "fluxSource",
};

/** Defaults that depend on something else are given in words, which must name them. */
function words({
  linkLocalAddresses,
  authoritativeDNS,
  ...table
}: typeof defaults): [told: Part | undefined, ...string[]][] {
  const of = (definition: string, key: string) => definitions[definition]?.properties?.[key];
  const { success, denial } = table.cache;
  const { success: known, denial: unknown } = table.clusterCache;
  const { nodes } = table.size;
  const services = Math.max(nodes * table.sizePerNode.services, table.leastServices);
  const outside = `${success.capacity} positive and ${denial.capacity} negative answers`;
  return [
    [of("NodeLocalDnsOptions", "linkLocalAddresses"), linkLocalAddresses.IPv4, linkLocalAddresses.IPv6],
    [of("AuthoritativeDnsOptions", "replicas"), `Default: ${table.leastReplicas}; with \`size.nodes\``],
    [of("AutoscalerOptions", "min"), `Default: ${table.leastReplicas}; with`],
    [of("NodeLocalDnsOptions", "image"), authoritativeDNS.image, table.nodeCacheImage],
    [schema.properties.size, `${nodes} nodes, ${nodes * table.sizePerNode.pods} pods, ${services} Services`],
    [of("ClusterSize", "pods"), `${table.sizePerNode.pods} per node`],
    [of("ClusterSize", "services"), `${table.sizePerNode.services} per node, at least ${table.leastServices}`],
    [of("AuthoritativeDnsOptions", "cache"), `${outside} for ${success.ttl} seconds`],
    [
      of("NodeLocalDnsOptions", "cache"),
      `${known.capacity} positive answers for ${known.ttl} seconds, ${unknown.capacity} negative ones for ${unknown.ttl}`,
    ],
    [of("NodeLocalDnsOptions", "outsideCache"), `or ${denial.ttl} seconds; ${outside}`],
    [
      of("CacheClass", "capacity"),
      `${known.capacity} for the cluster's names in the node cache, or more`,
      `node; ${success.capacity}, CoreDNS's minimum`,
    ],
    [of("CacheClass", "ttl"), `${success.ttl}; ${unknown.ttl} for denials`],
    [of("ServeStale", "timeout"), `${table.staleTimes.timeout}; with engine node-cache`],
    [of("MonitoringOptions", "dashboardLabels"), `grafana_dashboard: "${table.dashboardLabels.grafana_dashboard}"`],
    [of("NetworkPolicyOptions", "metricsNamespaces"), `["${table.metricsNamespaces.join('", "')}"]`],
    [of("FluxSource", "ref"), `${table.fluxRef.GitRepository}; ${table.fluxRef.OCIRepository}`],
    [of("ServeStale", "responseTTL"), `${table.staleTimes.responseTTL} (RFC 8767)`],
  ];
}

/** Where the schema, and so the docs, differ from the table. */
function differences(table: typeof defaults): string[] {
  const parts: [name: string, told: Values, coded: Values][] = [
    ["ClusterDnsProps", defaultsIn(schema.properties), table.cluster],
    ...Object.entries(partOf).map(([name, part]): [string, Values, Values] => [
      name,
      defaultsIn(definitions[name]?.properties ?? {}),
      table[part] as Values,
    ]),
  ];
  const undocumented = words(table).flatMap(([told, ...texts]) =>
    texts.filter((text) => !told?.description?.includes(text)).map((text) => `no word of ${text}`),
  );
  return [
    ...parts.flatMap(([name, told, coded]) => {
      const keys = [...new Set([...Object.keys(told), ...Object.keys(coded)])];
      return keys
        .filter((key) => JSON.stringify(told[key]) !== JSON.stringify(coded[key]))
        .map((key) => `${name}.${key}`);
    }),
    ...undocumented,
  ];
}

function defaultsIn(properties: { readonly [key: string]: Part }): Values {
  return Object.fromEntries(
    Object.entries(properties).flatMap(([key, part]) => (part.default === undefined ? [] : [[key, part.default]])),
  );
}

/** The path of each value in the table; an empty list or mapping is a value. */
function leaves(value: unknown, path: readonly string[] = []): string[][] {
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  return entries.length === 0 ? [[...path]] : entries.flatMap(([key, child]) => leaves(child, [...path, key]));
}

function changedAt(value: unknown, [key, ...rest]: readonly string[]): unknown {
  if (key === undefined) return typeof value === "number" ? value + 1 : `not ${JSON.stringify(value)}`;
  const copy = structuredClone(value) as { [key: string]: unknown };
  copy[key] = changedAt(copy[key], rest);
  return copy;
}

it("docs and schema state every default of the code", () => {
  expect(differences(defaults)).toEqual([]);
  const parts = new Set<string>(Object.keys(partOf));
  const withDefaults = Object.entries(definitions).filter(
    ([, { properties = {} }]) => Object.keys(defaultsIn(properties)).length > 0,
  );
  expect(withDefaults.map(([name]) => name).filter((name) => !parts.has(name))).toEqual([]);
});

it.each(leaves(defaults).map((path) => [path.join(" "), path] as const))(
  "a change of %s in the code alone is found",
  (_, path) => expect(differences(changedAt(defaults, path) as typeof defaults)).not.toEqual([]),
);

it("undefined is as good as not said, for the namespaces of network policies as well", () => {
  const filled = (networkPolicies: ClusterDnsProps["networkPolicies"]) =>
    fillIn({ clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables", networkPolicies }).networkPolicies;
  expect(filled({ metricsNamespaces: undefined })).toEqual(filled(true));
});
