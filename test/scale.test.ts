import { expect, it } from "vitest";
import { renderCluster } from "../src/charts/render-cluster";
import { parseYaml } from "../src/config/parse-yaml";
import { resolve } from "../src/model/check/resolve";

/** CPU time, which other load on the machine hardly changes. */
function cost(work: () => unknown): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

function expectLinear(work: (count: number) => unknown, count: number): void {
  work(count / 2);
  const growth = cost(() => work(4 * count)) / cost(() => work(count));
  // 16, if each were compared with each.
  expect(growth).toBeLessThan(9);
}

function many<Item>(count: number, item: (i: number) => Item): Item[] {
  return Array.from({ length: count }, (_, i) => item(i));
}

it("a mapping of four times as many keys is read at four times the cost", () => {
  expectLinear((count) => parseYaml("c.yaml", many(count, (i) => `k${i}: 1\n`).join("")), 6000);
});

const stubDomains = (count: number) => Object.fromEntries(many(count, (i) => [`z${i}.x`, ["10.1.2.3"]]));

it.each<[what: string, description: (count: number) => object, count: number]>([
  ["stub domains", (count) => ({ stubDomains: stubDomains(count) }), 2000],
  [
    "stub domains with an alias in each",
    (count) => ({
      stubDomains: stubDomains(count),
      hostAliases: many(count, (i) => ({ ip: "10.1.1.1", hostnames: [`h.z${i}.x`] })),
    }),
    1000,
  ],
  [
    "names of one alias",
    (count) => ({
      stubDomains: stubDomains(1),
      hostAliases: [{ ip: "10.1.1.1", hostnames: many(count, (i) => `h${i}.z0.x`) }],
    }),
    10_000,
  ],
  [
    "tenants",
    (count) => ({ tenancy: { tenants: many(count, (i) => ({ name: `t${i}`, namespaces: [`n${i}`] })) } }),
    2000,
  ],
  ["mistakes", (count) => ({ stubDomains: many(count, (i) => `z ${i}`) }), 60_000],
])("four times as many %s are checked and rendered at four times the cost", (_, description, count) => {
  const base = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables", agentImage: "registry.example/agent:1" };
  expectLinear((n) => {
    const { cluster } = resolve({ ...base, ...description(n) });
    if (cluster) renderCluster(cluster);
  }, count);
});
