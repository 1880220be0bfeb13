// Builds the agent's image, or that of the command line, with buildah, from pinned Debian packages and npm's Node, without a base image.
// Needs root.
//
//     npm run image                           for this machine. Writes .cache/image/agent.tar (docker-archive), to load
//                                             with ctr, docker or podman.
//     npm run image -- --push REGISTRY/NAME   for amd64 and arm64; prints the agentImage line
//     --of cli                                the command line's, .cache/image/cli.tar; --push prints the image
//     --agent-image IMAGE                     with --of cli: the default of agentImage in it, as in a release
//     --platform amd64                        only for this one; may be repeated
//     --tag TAG                               default: dev
//     --tls-verify false                      pushes to a registry that speaks HTTP, as one on this machine may
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { imageAnnotations } from "./image-annotations.mjs";
import { imageRootfs } from "./image-rootfs.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const cache = join(process.env.CLUSTER_DNS_CACHE ?? join(root, ".cache"), "image");

const platforms = ["amd64", "arm64"];
const machine = process.arch === "x64" ? "amd64" : process.arch;

/** What an image is called and says of itself, and what goes into its build's context. */
const images = {
  agent: {
    name: "cluster-dns-agent",
    line: "agentImage",
    annotations: {},
    fill: (context) => run(process.execPath, ["scripts/build-agent.mjs", join(context, "agent/agent.js")]),
  },
  cli: {
    name: "cdk8s-cluster-dns",
    line: "image",
    annotations: imageAnnotations(),
    fill: (context) =>
      run(process.execPath, [
        "scripts/build-cli.mjs",
        context,
        ...(values["agent-image"] === undefined ? [] : [values["agent-image"]]),
      ]),
  },
};

const { values } = parseArgs({
  options: {
    of: { type: "string", default: "agent" },
    "agent-image": { type: "string" },
    push: { type: "string" },
    platform: { type: "string", multiple: true, default: platforms },
    tag: { type: "string", default: "dev" },
    "tls-verify": { type: "string", default: "true" },
  },
});

/** Runs a command and returns its standard output; its standard error goes to the terminal. */
function run(command, args) {
  const stdio = ["ignore", "pipe", "inherit"];
  return execFileSync(command, args, { stdio, encoding: "utf8", maxBuffer: 2 ** 26, cwd: root }).trim();
}

// Our own store, and no container runtime, so that this also works inside a container.
const store = ["--root", join(cache, "storage"), "--runroot", join(cache, "run"), "--storage-driver", "vfs"];

function buildah(...args) {
  return run("buildah", [...store, ...args]);
}

/** Removes an image or manifest list that may not exist. */
function discard(...args) {
  spawnSync("buildah", [...store, ...args], { stdio: "ignore" });
}

/** The image for one architecture. The same inputs give the same digest. */
async function build(architecture, ...how) {
  const rootfs = await imageRootfs(architecture, cache, values.of);
  // Of this process alone: an image of the other kind may be built at the same time.
  const context = mkdtempSync(join(cache, "context-"));
  try {
    const { annotations, fill } = images[values.of];
    fill(context);
    const annotated = Object.entries(annotations).flatMap((each) => ["--annotation", each.join("=")]);
    const inputs = ["--build-context", `rootfs=${rootfs}`, "--file", `images/${values.of}/Dockerfile`, context];
    const platform = ["--platform", `linux/${architecture}`];
    buildah("build", "--quiet", "--layers", "--timestamp", "0", ...platform, ...annotated, ...how, ...inputs);
  } finally {
    rmSync(context, { recursive: true, force: true });
  }
}

async function buildLocally() {
  const image = `localhost/${images[values.of].name}:${values.tag}`;
  await build(machine, "--tag", image);
  const archive = join(cache, `${values.of}.tar`);
  rmSync(archive, { force: true });
  buildah("push", "--quiet", image, `docker-archive:${archive}:${image}`);
  console.log(`${image}\n${archive}`);
}

async function buildAndPush(name) {
  const target = `${name}:${values.tag}`;
  const list = `localhost/${images[values.of].name}-list:${process.pid}`;
  const digestFile = join(cache, "digest");
  const push = ["manifest", "push", "--all", "--quiet", `--tls-verify=${values["tls-verify"]}`];
  rmSync(digestFile, { force: true });
  discard("manifest", "rm", list);
  try {
    for (const architecture of values.platform) await build(architecture, "--manifest", list);
    buildah(...push, "--digestfile", digestFile, list, `docker://${target}`);
    // buildah 1.28 forgets why a push failed if it writes the digest; without that, it reports the reason
    if (readFileSync(digestFile, "utf8").trim() === "") {
      buildah(...push, list, `docker://${target}`);
      throw new Error(`${target} was only pushed at the second attempt; run again for its digest`);
    }
  } finally {
    discard("manifest", "rm", list);
  }
  console.log(`${images[values.of].line}: ${target}@${readFileSync(digestFile, "utf8").trim()}`);
}

/** Everything that would fail later. */
function* problems() {
  if (process.getuid() !== 0) yield "run it as root: buildah makes file systems";
  const commands = { buildah: "buildah", "dpkg-deb": "dpkg" };
  const isInstalled = (command) => process.env.PATH.split(":").some((folder) => existsSync(join(folder, command)));
  for (const [command, name] of Object.entries(commands))
    if (!isInstalled(command)) yield `${command} is missing: apt-get install ${name}`;
  if (!existsSync(join(root, "node_modules/esbuild"))) yield "the packages are missing: npm ci";
  if (!Object.hasOwn(images, values.of)) yield `--of: got ${values.of}, accepted: ${Object.keys(images).join(", ")}`;
  for (const platform of values.platform.filter((each) => !platforms.includes(each)))
    yield `--platform: got ${platform}, accepted: ${platforms.join(", ")}`;
  if (values.push !== undefined && (/[:@]/.test(values.push.split("/").at(-1)) || !values.push.includes("/")))
    yield `--push: got ${values.push}, accepted: REGISTRY/NAME; the tag goes into --tag`;
}

const found = [...problems()];
if (found.length > 0) {
  console.error(["the image cannot be built here:", ...found].join("\n- "));
  process.exit(1);
}
try {
  mkdirSync(cache, { recursive: true });
  buildah("rmi", "--prune"); // left over from earlier builds
  if (values.push === undefined) await buildLocally();
  else await buildAndPush(values.push);
} catch (error) {
  console.error(error.message); // what failed; the command itself has printed why
  process.exitCode = 1;
}
