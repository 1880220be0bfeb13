// `npm run bench`: how long it takes to decide for 5,000 nodes whether pods may run on each, and why not.
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const { placeable } = createRequire(import.meta.url)(join(root, "lib/model/placement/placeable.js"));

const count = 5000;
const rounds = 100;
const infra = "node-role.kubernetes.io/infra";
// Labelled as in a cloud; one in ten is an infra node, one in three of the others has a taint, one in fifty is
// cordoned.
const nodes = Array.from({ length: count }, (_, i) => ({
  name: `node-${i}`,
  labels: {
    "kubernetes.io/os": i % 100 === 0 ? "windows" : "linux",
    "kubernetes.io/arch": "amd64",
    "kubernetes.io/hostname": `node-${i}`,
    "topology.kubernetes.io/zone": `zone-${i % 3}`,
    ...(i % 10 === 1 ? { [infra]: "" } : {}),
  },
  taints: [
    ...(i % 10 === 1
      ? [{ key: infra, effect: "NoSchedule" }]
      : i % 3 === 0
        ? [{ key: "team", value: `t${i % 7}`, effect: "NoSchedule" }]
        : []),
    ...(i % 50 === 2 ? [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }] : []),
  ],
  unschedulable: i % 50 === 2,
}));
const placement = {
  nodeSelector: { "kubernetes.io/os": "linux", [infra]: "" },
  tolerations: [{ key: infra, operator: "Exists", effect: "NoSchedule" }],
};

const cold = time();
const warm = Array.from({ length: rounds }, time).sort((a, b) => a - b)[rounds / 2];
console.log(
  `Placement of a workload on ${count} nodes: ${warm.toFixed(1)} ms (median of ${rounds}; ${cold.toFixed(1)} ms the first time), goal 50 ms.`,
);

function time() {
  const start = process.hrtime.bigint();
  const matches = placeable(nodes, placement, { kind: "Deployment", hostNetwork: false });
  const end = process.hrtime.bigint();
  if (matches.length !== count) throw new Error("not every node has an answer");
  return Number(end - start) / 1e6;
}
