import type { ClusterDnsProps } from "./cluster-dns";
import type { Problem } from "./problem";
import { admissionRules } from "./rules/admission";
import { addressRules } from "./rules/addresses";
import { componentRules } from "./rules/components";
import { federationRules } from "./rules/federation";
import { imageRules } from "./rules/images";
import { metadataRules } from "./rules/metadata";
import { modeRules } from "./rules/modes";
import { nodeResolverRules } from "./rules/node-resolver";
import { outsideNameRules } from "./rules/outside-names";
import { placementRules } from "./rules/placement";
import { resourceRules } from "./rules/resources";
import { tenancyRules } from "./rules/tenancy";
import { versionRules } from "./rules/versions";
import { schemaProblems } from "./schema-problems";

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
  const sound = shape.reduce<unknown>((rest, { path }) => without(rest, path), value);
  if (typeof sound !== "object" || sound === null || Array.isArray(sound)) return shape;
  return [...shape, ...rules.flatMap((rule) => rule(sound as ClusterDnsProps))];
}

/** A copy without the property that holds `path`; a list goes as a whole, so that no index shifts. */
function without(value: unknown, [key, ...rest]: Problem["path"]): unknown {
  if (key === undefined || typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const { [key]: child, ...others } = value as { [key: string]: unknown };
  const kept = rest.length > 0 ? without(child, rest) : undefined;
  return kept === undefined ? others : { ...others, [key]: kept };
}
