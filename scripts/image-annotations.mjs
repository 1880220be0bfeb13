import { readFileSync } from "node:fs";

/**
 * The annotations of the command line's image, by which registries and Artifact Hub know what it is:
 * https://artifacthub.io/docs/topics/repositories/container-images. Its time is the commit's, in seconds,
 * if CLUSTER_DNS_COMMIT_TIME has it: the same commit gives the same digest.
 */
export function imageAnnotations() {
  const { name, version, description, homepage, license, keywords } = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8"),
  );
  const repository = homepage.replace(/#.*/, "");
  const created = new Date(Number(process.env.CLUSTER_DNS_COMMIT_TIME ?? 0) * 1000).toISOString();
  return {
    "io.artifacthub.package.category": "networking",
    "io.artifacthub.package.keywords": keywords.join(","),
    "io.artifacthub.package.license": license,
    "io.artifacthub.package.readme-url": `${repository.replace("github.com", "raw.githubusercontent.com")}/v${version}/docs/cli-image.md`,
    "org.opencontainers.image.created": created,
    "org.opencontainers.image.description": description,
    "org.opencontainers.image.licenses": license,
    "org.opencontainers.image.source": repository,
    "org.opencontainers.image.title": name,
    "org.opencontainers.image.version": version,
  };
}
