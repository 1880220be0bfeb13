// What https://www.schemastore.org knows of the schema of cluster files, by which editors find it without a comment in the file.
import { readFileSync } from "node:fs";

const { name, repository } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const [, owner] = /github\.com\/([^/]+)\//.exec(repository.url);

/** Where the site (GitHub Pages) has the schema; its `$id`. */
export const schemaUrl = `https://${owner}.github.io/${name}/schema.json`;

/** An entry of SchemaStore's catalog (src/api/json/catalog.json), which takes no names as common as `clusters/*.yaml`. */
export const catalogEntry = {
  name: "cdk8s-cluster-dns",
  description: "DNS of a Kubernetes cluster: CoreDNS, node-local-dns and what keeps them answering",
  fileMatch: ["*.cluster-dns.yaml", "*.cluster-dns.yml"],
  url: schemaUrl,
};
