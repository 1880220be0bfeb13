// `npm run release -- --image REGISTRY/NAME`: everything of a release but its publication, into .cache/release. Builds and pushes the
// agent's image, and beside it that of the command line. Makes the agent's digest the package's default `agentImage`, writes the bill of
// materials, packs, and writes the manifest of the plugin for kubectl and checksums.
//
//     --owner NAME            once, before the first: writes the owner of the repository on GitHub, and does nothing else
//     --platform amd64        only for this one; may be repeated. Default: amd64 and arm64
//     --tls-verify false      for a registry that speaks HTTP, as one on this machine may
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { krewManifest } from "./krew.mjs";
import { nameOwner } from "./owner.mjs";
import { sbom } from "./sbom.mjs";
import { catalogEntry } from "./schema-store.mjs";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const out = ".cache/release";
const { name, version } = JSON.parse(readFileSync("package.json", "utf8"));

const { values } = parseArgs({
  options: {
    image: { type: "string" },
    owner: { type: "string" },
    platform: { type: "string", multiple: true, default: [] },
    "tls-verify": { type: "string", default: "true" },
  },
});

const found = values.owner === undefined ? [...problems()] : [];
if (found.length > 0) {
  console.error(["no release:", ...found].join("\n- "));
  process.exit(1);
}
try {
  if (values.owner === undefined) release();
  else nameOwner(values.owner);
} catch (error) {
  console.error(error.message); // what failed; the command itself has printed why
  process.exitCode = 1;
}

function* problems() {
  if (values.image === undefined) yield "--image REGISTRY/NAME is missing: where the agent's image is pushed";
  const heading = `## ${version}`;
  if (!readFileSync("CHANGELOG.md", "utf8").split("\n").includes(heading))
    yield `CHANGELOG.md has no "${heading}", the version in package.json`;
}

function release() {
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });

  const agentImage = push("agentImage", values.image);
  const cliImage = push("image", values.image.replace(/[^/]+$/, name), "--of", "cli", "--agent-image", agentImage);

  writeFileSync(join(out, "agent-image.txt"), `${agentImage}\n`);
  writeFileSync(join(out, "cli-image.txt"), `${cliImage}\n`);
  writeFileSync(join(out, "sbom.spdx.json"), `${JSON.stringify(sbom(agentImage), null, 2)}\n`);
  try {
    run(process.execPath, "scripts/build.mjs", "--agent-image", agentImage);
    run("npm", "pack", "--ignore-scripts", "--pack-destination", out);
  } finally {
    rmSync("lib", { recursive: true, force: true }); // the clone's own build has no image
  }
  const [archive] = readdirSync(out).filter((file) => file.endsWith(".tgz"));
  writeFileSync(join(out, "krew.yaml"), krewManifest(sha256(readFileSync(join(out, archive)))));
  writeFileSync(join(out, "schemastore.json"), `${JSON.stringify(catalogEntry, null, 2)}\n`);
  const files = readdirSync(out).sort();
  const checksums = files.map((file) => `${sha256(readFileSync(join(out, file)))}  ${file}\n`);
  writeFileSync(join(out, "SHA256SUMS"), checksums.join(""));
  console.log(`agentImage: ${agentImage}\n${[...files, "SHA256SUMS"].map((file) => `${out}/${file}`).join("\n")}`);
}

/** Builds an image, pushes it, and returns its name with its digest. */
function push(line, repository, ...how) {
  const platforms = values.platform.flatMap((platform) => ["--platform", platform]);
  const to = ["--push", repository, "--tag", version, "--tls-verify", values["tls-verify"]];
  const printed = run(process.execPath, "scripts/image.mjs", ...to, ...platforms, ...how);
  return new RegExp(`^${line}: (\\S+)$`, "m").exec(printed)[1];
}

function run(command, ...args) {
  return execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
}

function sha256(data) {
  return createHash("sha256").update(data).digest("hex");
}
