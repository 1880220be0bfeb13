// Builds the agent image with buildah. Needs root.
//
//     npm run image                           for this machine, from Debian packages and npm's Node, without an image
//                                             registry. Writes .cache/image/agent.tar (docker-archive), to load with
//                                             ctr, docker or podman.
//     npm run image -- --push REGISTRY/NAME   for amd64 and arm64 on the Dockerfile's own base; prints the agentImage
//                                             line. Programs of the other architecture run emulated
//                                             (qemu-user-static and binfmt_misc).
//     --base IMAGE                            on another base; `local` is the one made without an image registry
//     --tag TAG                               default: dev
//     --tls-verify false                      pushes to a registry that speaks HTTP, as one on this machine may
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const cache = join(process.env.CLUSTER_DNS_CACHE ?? join(root, ".cache"), "image");
const suite = "bookworm";
const nodeMajor = 24;
const tools = ["iptables", "nftables", "iproute2"];

const platforms = ["amd64", "arm64"];
const machine = process.arch === "x64" ? "amd64" : process.arch;

const { values } = parseArgs({
  options: {
    push: { type: "string" },
    base: { type: "string" },
    tag: { type: "string", default: "dev" },
    "tls-verify": { type: "string", default: "true" },
  },
});

const isBaseLocal = values.base === "local" || (values.base === undefined && values.push === undefined);

/** Runs a command and returns its standard output; its standard error goes to the terminal. */
function run(command, args, options = {}) {
  const stdio = ["ignore", "pipe", "inherit"];
  return execFileSync(command, args, { stdio, encoding: "utf8", maxBuffer: 2 ** 26, ...options }).trim();
}

/** Runs a command whose whole output goes to the terminal. */
function show(command, args) {
  execFileSync(command, args, { stdio: ["ignore", process.stderr, process.stderr] });
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

/**
 * What the Dockerfile would take from a registry: Debian with the tools, and Node. Made once and kept until its folder
 * is removed.
 */
function localBase(architecture) {
  const name = `base-${suite}-node${nodeMajor}-${architecture}`;
  const image = `localhost/agent-${name}`;
  const folder = join(cache, name);
  if (!existsSync(folder)) {
    discard("rmi", "--force", image);
    const unfinished = `${folder}.unfinished`;
    rmSync(unfinished, { recursive: true, force: true });
    const mirror = process.env.DEBIAN_MIRROR ?? "http://deb.debian.org/debian";
    const packages = `--include=${tools.join(",")}`;
    show("debootstrap", [`--arch=${architecture}`, "--variant=minbase", packages, suite, unfinished, mirror]);
    const npm = join(cache, `node-${architecture}`);
    mkdirSync(npm, { recursive: true });
    const node = `node-linux-${architecture === "amd64" ? "x64" : architecture}`;
    show("npm", ["install", "--prefix", npm, "--no-save", "--force", `${node}@${nodeMajor}`]);
    cpSync(join(npm, "node_modules", node, "bin/node"), join(unfinished, "usr/local/bin/node"));
    for (const left of [
      "var/cache/apt/archives",
      "var/lib/apt/lists",
      "usr/share/doc",
      "usr/share/man",
      "usr/share/locale",
    ]) {
      rmSync(join(unfinished, left), { recursive: true, force: true });
    }
    renameSync(unfinished, folder);
  }
  if (buildah("images", "--quiet", "--filter", `reference=${image}`) === "") {
    const container = buildah("from", "--arch", architecture, "scratch");
    buildah("copy", "--quiet", container, folder, "/");
    buildah("commit", "--quiet", "--rm", container, image);
  }
  return image;
}

/** The image for one architecture, with the programs bundled on this machine. */
function build(architecture, ...how) {
  const base = isBaseLocal ? localBase(architecture) : values.base;
  const context = join(cache, "context");
  rmSync(context, { recursive: true, force: true });
  mkdirSync(context, { recursive: true });
  run(process.execPath, [join(root, "scripts/build-agent.mjs"), join(context, "agent.js")], { cwd: root });
  buildah(
    "build",
    "--quiet",
    "--isolation",
    "chroot",
    "--platform",
    `linux/${architecture}`,
    ...(base === undefined ? [] : ["--build-arg", `BASE=${base}`]),
    ...how,
    "--ignorefile",
    "/dev/null",
    "--file",
    join(root, "images/agent/Dockerfile"),
    context,
  );
}

function buildLocally() {
  const image = `localhost/cluster-dns-agent:${values.tag}`;
  build(machine, "--tag", image);
  const archive = join(cache, "agent.tar");
  rmSync(archive, { force: true });
  buildah("push", "--quiet", image, `docker-archive:${archive}:${image}`);
  console.log(`${image}\n${archive}`);
}

function buildAndPush(name) {
  const target = `${name}:${values.tag}`;
  const list = `localhost/cluster-dns-agent-list:${process.pid}`;
  const digestFile = join(cache, "digest");
  const push = ["manifest", "push", "--all", "--quiet", `--tls-verify=${values["tls-verify"]}`];
  rmSync(digestFile, { force: true });
  discard("manifest", "rm", list);
  try {
    for (const architecture of platforms) build(architecture, "--manifest", list);
    buildah(...push, "--digestfile", digestFile, list, `docker://${target}`);
    // buildah 1.28 forgets why a push failed if it writes the digest; without that, it reports the reason
    if (readFileSync(digestFile, "utf8").trim() === "") {
      buildah(...push, list, `docker://${target}`);
      throw new Error(`${target} was only pushed at the second attempt; run again for its digest`);
    }
  } finally {
    discard("manifest", "rm", list);
  }
  console.log(`agentImage: ${target}@${readFileSync(digestFile, "utf8").trim()}`);
}

/** Everything that would fail later. */
function* problems() {
  if (process.getuid() !== 0) yield "run it as root: buildah and debootstrap make file systems";
  const commands = ["buildah", ...(isBaseLocal ? ["debootstrap"] : [])];
  const isInstalled = (command) => process.env.PATH.split(":").some((folder) => existsSync(join(folder, command)));
  for (const command of commands) if (!isInstalled(command)) yield `${command} is missing: apt-get install ${command}`;
  if (!existsSync(join(root, "node_modules/esbuild"))) yield "the packages are missing: npm ci";
  if (values.push === undefined) return;
  if (/[:@]/.test(values.push.split("/").at(-1)) || !values.push.includes("/"))
    yield `--push: got ${values.push}, accepted: REGISTRY/NAME; the tag goes into --tag`;
  const emulators = { amd64: "qemu-x86_64", arm64: "qemu-aarch64" };
  for (const architecture of platforms.filter((each) => each !== machine)) {
    const [emulator, known] = [emulators[architecture], "/proc/sys/fs/binfmt_misc"];
    if (!existsSync(join(known, emulator)))
      yield `this machine (${machine}) does not run programs for ${architecture}, as the image's build does: apt-get install qemu-user-static; where no service of the machine then registers it:
    mount -t binfmt_misc none ${known}
    cat /usr/lib/binfmt.d/${emulator}.conf > ${known}/register`;
  }
}

const found = [...problems()];
if (found.length > 0) {
  console.error(["the image cannot be built here:", ...found].join("\n- "));
  process.exit(1);
}
try {
  mkdirSync(cache, { recursive: true });
  buildah("rmi", "--prune"); // left over from earlier builds
  if (values.push === undefined) buildLocally();
  else buildAndPush(values.push);
} catch (error) {
  console.error(error.message); // what failed; the command itself has printed why
  process.exitCode = 1;
}
