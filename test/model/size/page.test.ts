import { expect, it } from "vitest";
import { clusterOf } from "../../../src/model/cluster/cluster";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { atOnce, rolloutSeconds } from "../../../src/model/size/rollout";
import { sizeOf } from "../../../src/model/full-props/size";
import { parseQuantity } from "../../../src/model/syntax/quantity";
import { cached } from "../../cached";
import { readText } from "../../repository";

const sizes = [100, 1000, 5000, 15_000];

function columnOf(nodes: number) {
  const size = sizeOf({ nodes });
  const of = (props: Partial<ClusterDnsProps>) => clusterOf({ ...cached, size: { nodes }, ...props }).components;
  const { authoritativeDns, nodeLocalDns } = of({});
  const scaled = of({ authoritativeDNS: { autoscaler: { mode: "horizontal" } } }).authoritativeDns?.autoscaler;
  const memory = (settings: typeof authoritativeDns | typeof nodeLocalDns) => ({
    text: `${settings?.memory.request}, ${settings?.memory.limit}`,
    all: (count = 0) => inGibi(count * Number(parseQuantity(settings?.memory.request ?? "")?.nanos ?? 0n)),
  });
  const share = atOnce(10, size);
  return {
    nodes: grouped(nodes),
    "pods (30 per node)": grouped(size.pods),
    Services: grouped(size.services),
    "replicas of CoreDNS": grouped(authoritativeDns?.replicas),
    "the same without a cache": grouped(of({ nodeLocalDNS: { state: "disabled" } }).authoritativeDns?.replicas),
    "most replicas under load": grouped(scaled?.max),
    "CPU request of a replica": authoritativeDns?.resources.requests?.["cpu"],
    "memory request, limit of a replica": memory(authoritativeDns).text,
    "memory request, limit of a cache": memory(nodeLocalDns).text,
    "all replicas, requested": memory(authoritativeDns).all(authoritativeDns?.replicas),
    "all caches, requested": memory(nodeLocalDns).all(nodes),
    "nodes that a rollout changes at once": grouped(typeof share === "number" ? share : Math.ceil(nodes / 10)),
    "seconds that Flux waits for it": grouped(rolloutSeconds(size)),
  };
}

function grouped(number = 0): string {
  return number.toLocaleString("en-US");
}

function inGibi(nanos: number): string {
  const gibi = nanos / 1e9 / 2 ** 30;
  if (gibi >= 1024) return `${(gibi / 1024).toFixed(1)} TiB`;
  return `${gibi < 1 ? gibi.toFixed(1) : Math.round(gibi)} GiB`;
}

it("docs/scale.md has the values of each size", () => {
  const [page = ""] = readText("docs/scale.md").split("\n## Formulas");
  const rows = [...page.matchAll(/^\| (?!-)(.*) \|$/gm)].map(([, row = ""]) =>
    row.split("|").map((cell) => cell.trim()),
  );
  const columns = sizes.map(columnOf);
  const keys = Object.keys(columns[0] ?? {}) as (keyof ReturnType<typeof columnOf>)[];
  expect(rows).toEqual(keys.map((key) => [key, ...columns.map((column) => column[key])]));
});
