// Puts what the image of the command line has beside Node into a folder: `node scripts/build-cli.mjs FOLDER [AGENT_IMAGE]`. AGENT_IMAGE
// becomes the default of `agentImage`, as in a release.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleCli } from "./build.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [folder, agentImage] = process.argv.slice(2);

await bundleCli(join(folder, "lib/cli/main.js"), agentImage);
mkdirSync(join(folder, "clusters"), { recursive: true });
cpSync(join(root, "clusters/schema.json"), join(folder, "clusters/schema.json"));
// Only what the command reads: the rest differs from commit to commit.
const { name, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
writeFileSync(join(folder, "package.json"), `${JSON.stringify({ name, version })}\n`);
