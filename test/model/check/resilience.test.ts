import { expect, it } from "vitest";
import { agentImage, faultyKeys } from "./problems";

const existing = { authoritativeDNS: { kind: "Existing" } };

it.each<[where: string, props: object]>([
  ["", { resilience: true }],
  ["", { resilience: {} }],
  ["", { resilience: { staleNames: false, staleClusterNames: false, consolidateErrors: false, shed: false } }],
  ["", { resilience: { apiPriority: true }, kubernetesVersion: "1.29" }],
  ["", { resilience: true, ...existing }],
  ["resilience.consolidateErrors", { resilience: { consolidateErrors: "48h" } }],
  ["resilience.preferPositive", { resilience: { staleNames: false, preferPositive: true } }],
  ["resilience.pinnedNames[0]", { resilience: { pinnedNames: ["10.1.1.1"] } }],
  ["resilience.pinnedNames[0]", { resilience: { pinnedNames: ["kubernetes.default.svc.cluster.local"] } }],
  ...["a.example", "b.apps.example", "c.lab.example", "x1.part.example"].map((name): [string, object] => [
    "resilience.pinnedNames[0]",
    {
      resilience: { pinnedNames: [name, "example"] },
      rewrites: [
        { match: "prefix", from: "old-", to: "new-" },
        { from: "a.example", to: "a.b.svc.cluster.local" },
        { match: "suffix", from: ".apps.example", to: ".b.svc.cluster.local" },
        { match: "regex", from: "^x(.)\\.part\\.example\\.$", to: "{1}.b.svc.cluster.local" },
      ],
      zones: { "lab.example": { records: {} } },
    },
  ]),
  ["resilience.pinnedNames[1]", { resilience: { pinnedNames: ["a.example", "A.example."] } }],
  ["resilience.apiPriority", { resilience: { apiPriority: true } }],
  ["resilience.apiPriority", { resilience: { apiPriority: true }, kubernetesVersion: "1.28" }],
  ["resilience.apiPriority", { resilience: { apiPriority: true }, kubernetesVersion: "1.29", ...existing }],
])("what keeps names resolving: what is refused at %s: %j", (where, props) =>
  expect(faultyKeys({ agentImage, ...props })).toEqual(where === "" ? [] : [where]),
);
