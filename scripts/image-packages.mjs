import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The folder of the pins. */
export const imageInputs = fileURLToPath(new URL("../images/agent", import.meta.url));

/** The pinned Debian packages of the agent's image: a line each, for each architecture. */
export function debianPackages() {
  return readFileSync(`${imageInputs}/debian-packages.txt`, "utf8")
    .trim()
    .split("\n")
    .map((line) => {
      const [checksum, architecture, name, version, path] = line.split(" ");
      return { checksum, architecture, name, version, path };
    });
}

/** npm's pinned packages with Node: version and integrity by name. */
export function nodePackages() {
  const { packages } = JSON.parse(readFileSync(`${imageInputs}/package-lock.json`, "utf8"));
  return Object.entries(packages)
    .filter(([path]) => path !== "")
    .map(([path, { version, integrity }]) => ({ name: path.replace("node_modules/", ""), version, integrity }));
}
