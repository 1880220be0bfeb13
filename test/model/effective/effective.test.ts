import { expect, it } from "vitest";
import { parse } from "yaml";
import { renderCluster } from "../../../src/charts/render-cluster";
import { resolve } from "../../../src/model/check/resolve";
import { clusterOf } from "../../../src/model/cluster/cluster";
import { effective } from "../../../src/model/effective/effective";
import { everyKey } from "../../../src/model/effective/every-key";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { formatPath } from "../../../src/model/syntax/problem";
import { namesIn, readText } from "../../repository";
import { schema } from "../../schema";
import { writtenOut } from "./written-out";

const committed = namesIn("clusters")
  .filter((file) => file.endsWith(".yaml"))
  .map((file) => [file, parse(readText(`clusters/${file}`)) as ClusterDnsProps] as const);
const least: ClusterDnsProps = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables" };
const cached: ClusterDnsProps = { ...least, agentImage: "agent:1" };
const nodes = (nodeLocalDNS: NonNullable<ClusterDnsProps["nodeLocalDNS"]>) => ({ ...cached, nodeLocalDNS });
const immediate = { duration: "1h", refresh: "immediate" } as const;

const further: [what: string, props: ClusterDnsProps][] = [
  ["a short serveStale", nodes({ cache: { serveStale: "1h", prefetch: { amount: 5 } } })],
  ["node-cache", nodes({ engine: "node-cache", cache: { serveStale: "1h" } })],
  ["stale cluster names", nodes({ cache: { serveStale: { duration: "1h", clusterNames: true } } })],
  ["TTLs for both caches", nodes({ cache: { success: { ttl: 7 } }, outsideCache: {} })],
  ["a mirror", { ...cached, imageRegistry: "mirror.example" }],
  ["resilience", { ...cached, resilience: {} }],
  [
    "parts of resilience",
    { ...cached, kubernetesVersion: "1.34", resilience: { staleNames: false, pinnedNames: ["a.b"], shed: false } },
  ],
  ["an autoscaler", { ...least, authoritativeDNS: { autoscaler: {} } }],
  ["link-local that drains", { ...cached, kubeProxyMode: "ipvs", nodeLocalDNS: { state: "draining" } }],
  ["Flux", { ...least, gitops: { flux: { source: { name: "fleet" } } } }],
  ["Argo CD", { ...least, gitops: { argocd: { repoURL: "https://git.example/fleet" } } }],
  ["network policies", { ...least, networkPolicies: true, monitoring: {} }],
  ["network policies beside monitors", { ...least, networkPolicies: true, monitoring: { namespace: "observability" } }],
  ["an immediate serveStale", { ...cached, authoritativeDNS: { cache: { serveStale: immediate } } }],
  [
    "hard isolation",
    {
      ...least,
      kubernetesVersion: "1.37",
      tenancy: { tenants: [{ name: "blue", namespaces: ["web"] }], isolation: "hard" },
      admission: { allowedUsers: ["admin"], enforcement: "policies" },
      nodeLocalDNS: { state: "disabled" },
    },
  ],
  [
    "a smoke test of what has options",
    {
      ...cached,
      smokeTest: true,
      upstreamOptions: { maxFails: 3, healthCheck: {} },
      dnstap: { endpoint: "tcp://10.1.2.3:6000" },
      authoritativeDNS: { corefile: { otherNames: "any" } },
      nodeLocalDNS: { corefile: {} },
    },
  ],
  ["a smoke test without a cache", { ...cached, kubeProxyMode: "none", smokeTest: true }],
  ["draining, no watchdog", { ...cached, kubeProxyMode: "ipvs", nodeLocalDNS: { state: "draining", watchdog: false } }],
  // The same as without it: every node has a cache.
  ["an autoscaler by size", { ...cached, size: { nodes: 3577 }, authoritativeDNS: { autoscaler: {} } }],
  ["a cleanup", nodes({ state: "removed", removeAfter: "1h" })],
];

// Of any description: test/properties.
it.each(further)("effective values of %s, written out, render the same objects", (_, props) => {
  const { cluster, problems } = resolve(writtenOut(effective(props, clusterOf(props))));
  expect(problems).toBeUndefined();
  expect(cluster && renderCluster(cluster)).toEqual(renderCluster(clusterOf(props)));
});

it.each([...committed, ...further])("effective values of %s have everything that is written", (_, props) => {
  expect(effective(props, clusterOf(props))).toMatchObject(inFull(props));
});

it("effective values of a cluster that says least are listed, key by key", () => {
  const listed = everyKey(schema, effective(least, clusterOf(least))).map(({ path, value, remark }) =>
    [formatPath(path), value === undefined ? `(${remark})` : JSON.stringify(value)].join(" "),
  );
  expect(listed).toEqual(
    expect.arrayContaining([
      'clusterDNS ["10.96.0.10"]',
      'cni "other"',
      "serviceCIDRs (default: not checked)",
      'agentImage "none"',
      "size.services 1000",
      "stubDomains {}",
      "tenancy (default: no tenants)",
      "authoritativeDNS.replicas 2",
      'authoritativeDNS.nodePlacement.nodeSelector.kubernetes.io/os "linux"',
      'nodeLocalDNS.state "enabled"',
      'nodeLocalDNS.engine "node-cache"',
      "nodeLocalDNS.packetFilter (no effect in this cluster)",
    ]),
  );
});

it.each([
  ["GitRepository", "https://git.example/fleet", "main"],
  ["OCIRepository", "oci://registry.example/fleet", "latest"],
] as const)("of a %s have the ref of its kind", (kind, url, ref) => {
  const props = { ...least, gitops: { flux: { source: { kind, name: "fleet", url } } } };
  expect(effective(props, clusterOf(props))).toMatchObject({ gitops: { flux: { source: { ref } } } });
});

it.each([...committed, ...further])(
  "of %s: where there is no value, the documentation says what happens",
  (_, props) => {
    const unsaid = everyKey(schema, effective(props, clusterOf(props))).filter(({ value }) => value === undefined);
    expect(unsaid.filter(({ remark }) => remark === undefined)).toEqual([]);
  },
);

function inFull(value: unknown): object {
  return JSON.parse(
    JSON.stringify(value, (key, child: unknown) =>
      key === "serveStale" && typeof child === "string"
        ? { duration: child }
        : (key === "smokeTest" || key === "networkPolicies") && child === true
          ? {}
          : child,
    ),
  ) as object;
}
