// The manifest with which krew installs `kubectl cluster-dns`: the package of a release, which needs only Node.
import { readFileSync } from "node:fs";
import { stringify } from "yaml";

/** @param sha256 Of the package's archive, which the release on GitHub has. */
export function krewManifest(sha256) {
  const { name, version, homepage, license, keywords, bin } = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8"),
  );
  const repository = homepage.replace(/#.*/, "");
  const platform = (os) => ({
    selector: { matchLabels: { os } },
    uri: `${repository}/releases/download/v${version}/${name}-${version}.tgz`,
    sha256,
    bin: `package/${bin["kubectl-cluster_dns"]}`,
  });
  return stringify({
    apiVersion: "krew.googlecontainertools.github.com/v1alpha2",
    kind: "Plugin",
    metadata: { name: "cluster-dns", annotations: artifactHub(repository, license, keywords) },
    spec: {
      version: `v${version}`,
      homepage: repository,
      shortDescription: "Say what is wrong with a cluster's DNS",
      description:
        "Compares CoreDNS, node-local-dns and what they depend on with a cluster file,\nor looks at them without one; says what is wrong, and what to do about it.\n",
      caveats:
        "Needs Node 20.19, or 22.12 or newer. Reads with your own rights: see `kubectl cluster-dns doctor --help`.\n",
      platforms: ["linux", "darwin"].map(platform),
    },
  });
}

/** What Artifact Hub shows of a plugin besides: https://artifacthub.io/docs/topics/annotations/krew. */
function artifactHub(repository, license, keywords) {
  return {
    "artifacthub.io/category": "networking",
    "artifacthub.io/keywords": stringify(keywords),
    "artifacthub.io/license": license,
    "artifacthub.io/links": stringify([{ name: "source", url: repository }]),
  };
}
