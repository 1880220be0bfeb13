import type { ClusterDnsProps } from "../props/cluster-dns";
import type { Problem } from "../syntax/problem";
import { admissionRules } from "./admission";
import { addressRules } from "./addresses";
import { componentRules } from "./components";
import { federationRules } from "./federation";
import { imageRules } from "./images";
import { metadataRules } from "./metadata";
import { modeRules } from "./modes";
import { nodeResolverRules } from "./node-resolver";
import { outsideNameRules } from "./outside-names";
import { placementRules } from "./placement";
import { resourceRules } from "./resources";
import { tenancyRules } from "./tenancy";
import { versionRules } from "./versions";
import { schemaProblems } from "./shape";

const rules = [
  addressRules,
  modeRules,
  versionRules,
  outsideNameRules,
  componentRules,
  placementRules,
  resourceRules,
  imageRules,
  metadataRules,
  tenancyRules,
  federationRules,
  nodeResolverRules,
  admissionRules,
];

/**
 * Everything that is wrong with a cluster description, at once: its shape first, then rules over the part whose shape is
 * right. No problem means that it is a `ClusterDnsProps` that renders.
 */
export function checkClusterDns(value: unknown): Problem[] {
  const shape = schemaProblems(value);
  const sound = without(
    value,
    shape.map(({ path }) => path),
  );
  if (typeof sound !== "object" || sound === null || Array.isArray(sound)) return shape;
  return [...shape, ...rules.flatMap((rule) => rule(sound as ClusterDnsProps))];
}

/** A copy without the properties that hold `paths`; a list whose entry is itself wrong goes as a whole, so that no index shifts. */
function without(value: unknown, paths: readonly Problem["path"][]): unknown {
  if (paths.length === 0) return value;
  const itself = paths.some((path) => path.length === 0);
  if (itself || typeof value !== "object" || value === null) return undefined;
  const below = new Map<string, Problem["path"][]>();
  for (const [key, ...rest] of paths) {
    const others = below.get(String(key)) ?? [];
    others.push(rest);
    below.set(String(key), others);
  }
  const kept = Object.entries(value).map(([key, child]) => [key, without(child, below.get(key) ?? [])] as const);
  if (Array.isArray(value)) {
    const entries = kept.map(([, child]) => child);
    return entries.includes(undefined) ? undefined : entries;
  }
  return Object.fromEntries(kept.filter(([key, child]) => child !== undefined || !below.has(key)));
}
