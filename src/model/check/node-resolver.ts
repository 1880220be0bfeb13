import type { Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { needsAgentImage } from "./needs";
import { about, type Given } from "./report";

/** Services that can be looked up, and images that a node can pull before it knows their registry. */
export function nodeResolverRules({ props, said: { clusterDomain } }: Given): Problem[] {
  const { nodeResolver, agentImage, imageRegistry, authoritativeDNS: dns } = props;
  if (nodeResolver === undefined) return [];
  const { services = [] } = nodeResolver;
  // CoreDNS must run before the node-resolver can ask it, and both before a node knows the registry.
  const images: [path: string[], image: string | undefined][] = [
    [["agentImage"], agentImage],
    [["authoritativeDNS", "image"], dns?.image],
    [["imageRegistry"], dns?.kind === "Existing" || dns?.image !== undefined ? undefined : imageRegistry],
  ];
  return [
    ...services.flatMap((service, i) =>
      about(["nodeResolver", "services", i]).when(
        services.indexOf(service) < i,
        `${show(service)} is named twice; keep one`,
      ),
    ),
    ...needsAgentImage(["nodeResolver"], props, "the node-resolver runs from it", "leave nodeResolver out"),
    ...images.flatMap(([path, image]) =>
      about(path).when(
        image !== undefined && isIn(image, services, clusterDomain),
        `${show(image)} is in a registry that nodes only find once its pods run; use a registry outside nodeResolver.services`,
      ),
    ),
  ];
}

function isIn(image: string, services: readonly string[], clusterDomain: string): boolean {
  const host = image.split("/")[0]?.replace(/:\d+$/, "").toLowerCase() ?? "";
  return services.some((service) => host === service || host === `${service}.${clusterDomain}`);
}
