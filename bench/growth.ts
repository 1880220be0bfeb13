// `npm run bench`: what four times as much in one cluster file costs. 4, if the cost is linear; 16, if each is compared with each.
import { reportFigure } from "../rig/figures/report.mjs";
import { renderCluster } from "../src/charts/render-cluster";
import { parseYaml } from "../src/config/parse-yaml";
import { resolve } from "../src/model/check/resolve";

const rounds = 5;

const stubDomains = (count: number) => Object.fromEntries(many(count, (i) => [`z${i}.x`, ["10.1.2.3"]]));

/** What is read, checked and rendered, and of how many. */
const inputs: readonly [what: string, work: (count: number) => unknown, count: number][] = [
  ["keys of a mapping", (count) => parseYaml("c.yaml", many(count, (i) => `k${i}: 1\n`).join("")), 6000],
  ["stub domains", (count) => render({ stubDomains: stubDomains(count) }), 2000],
  [
    "stub domains with an alias in each",
    (count) =>
      render({
        stubDomains: stubDomains(count),
        hostAliases: many(count, (i) => ({ ip: "10.1.1.1", hostnames: [`h.z${i}.x`] })),
      }),
    1000,
  ],
  [
    "names of one alias",
    (count) =>
      render({
        stubDomains: stubDomains(1),
        hostAliases: [{ ip: "10.1.1.1", hostnames: many(count, (i) => `h${i}.z0.x`) }],
      }),
    10_000,
  ],
  [
    "tenants",
    (count) => render({ tenancy: { tenants: many(count, (i) => ({ name: `t${i}`, namespaces: [`n${i}`] })) } }),
    2000,
  ],
  [
    "misspelt keys",
    (count) => render(Object.fromEntries(many(count, (i) => [`clusterDomain${i.toString(36).padStart(3, "-")}`, ""]))),
    10_000,
  ],
  ["mistakes", (count) => render({ stubDomains: many(count, (i) => `z ${i}`) }), 60_000],
];

console.log(`\nWhat four times as much costs, median of ${rounds} rounds:\n`);
console.log("| | of | CPU, ms | four times as many |\n|---|---|---|---|");
for (const [what, work, count] of inputs) {
  const { once, four } = measure(work, count);
  console.log(`| ${what} | ${count} | ${once.toFixed(0)} | ${(four / once).toFixed(1)}x |`);
  reportFigure({ what: `four times as many ${what}`, kind: "ratio", value: four / once, unit: "x the cost" });
}

function render(description: object): void {
  const base = { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables", agentImage: "registry.example/agent:1" };
  const { cluster } = resolve({ ...base, ...description });
  if (cluster) renderCluster(cluster);
}

function measure(work: (count: number) => unknown, count: number): { once: number; four: number } {
  work(count); // warms up
  const each = many(rounds, () => ({ once: cost(() => work(count)), four: cost(() => work(4 * count)) }));
  return { once: median(each.map(({ once }) => once)), four: median(each.map(({ four }) => four)) };
}

/** Milliseconds of processor time. */
function cost(work: () => unknown): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function many<Item>(count: number, item: (i: number) => Item): Item[] {
  return Array.from({ length: count }, (_, i) => item(i));
}
