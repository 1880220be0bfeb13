// Builds the agent's image with buildah. As root.
//
//     npm run image                              for this machine, from Debian packages and npm's Node: no image registry needed.
//                                                Writes .cache/image/agent.tar (docker-archive), to load with ctr, docker or podman.
//     npm run image -- --push REGISTRY/NAME      for amd64 and arm64 on the Dockerfile's own base; prints what agentImage must say.
//                                                What is not this machine's architecture runs emulated (qemu-user-static and binfmt_misc).
//     --base IMAGE                               on another base; `local` is the one that is made without an image registry.
//     --tag TAG                                  default: dev
//     --tls-verify false                         pushes to a registry that speaks http, as one on this machine may
import { execFileSync } from "node:child_process";
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

function run(command, args, options = {}) {
  return execFileSync(command, args, {
    stdio: ["ignore", "pipe", "inherit"],
    encoding: "utf8",
    maxBuffer: 2 ** 26,
    ...options,
  }).trim();
}

// A store of our own, and no container runtime: works inside a container as well.
function buildah(command, ...args) {
  const store = ["--root", join(cache, "storage"), "--runroot", join(cache, "run"), "--storage-driver", "vfs"];
  return run("buildah", [...store, command, ...args]);
}

/** What the Dockerfile would take from a registry: Debian with the tools, and Node. Made once. */
function localBase(architecture) {
  const name = `base-${suite}-node${nodeMajor}-${architecture}`;
  const folder = join(cache, name);
  if (!existsSync(folder)) {
    const unfinished = `${folder}.unfinished`;
    rmSync(unfinished, { recursive: true, force: true });
    const mirror = process.env.DEBIAN_MIRROR ?? "http://deb.debian.org/debian";
    const packages = `--include=${tools.join(",")}`;
    run("debootstrap", [`--arch=${architecture}`, "--variant=minbase", packages, suite, unfinished, mirror]);
    const npm = join(cache, `node-${architecture}`);
    mkdirSync(npm, { recursive: true });
    const node = `node-linux-${architecture === "amd64" ? "x64" : architecture}`;
    run("npm", ["install", "--prefix", npm, "--no-save", "--force", `${node}@${nodeMajor}`]);
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
  const image = `localhost/agent-${name}`;
  if (buildah("images", "--quiet", "--filter", `reference=${image}`) === "") {
    const container = buildah("from", "--arch", architecture, "scratch");
    buildah("copy", "--quiet", container, folder, "/");
    buildah("commit", "--quiet", "--rm", container, image);
  }
  return image;
}

/** The image for an architecture, its bundle made on this machine. */
function build(architecture, ...how) {
  const isLocal = values.base === "local" || (values.base === undefined && values.push === undefined);
  const base = isLocal ? localBase(architecture) : values.base;
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
  const how = ["--all", "--quiet", `--tls-verify=${values["tls-verify"]}`, "--digestfile", digestFile];
  rmSync(digestFile, { force: true });
  for (const architecture of platforms) build(architecture, "--manifest", list);
  try {
    buildah("manifest", "push", ...how, list, `docker://${target}`);
  } finally {
    buildah("manifest", "rm", list);
  }
  // buildah 1.28 forgets a failure when it writes the digest
  const digest = existsSync(digestFile) ? readFileSync(digestFile, "utf8").trim() : "";
  if (digest === "") throw new Error(`${target} was not pushed`);
  console.log(`agentImage: ${target}@${digest}`);
}

/** What cannot run here is said before anything is built. */
function checkEmulation() {
  const emulators = { amd64: "qemu-x86_64", arm64: "qemu-aarch64" };
  for (const architecture of platforms.filter((each) => each !== machine))
    if (!existsSync(`/proc/sys/fs/binfmt_misc/${emulators[architecture]}`)) {
      const how = `cat /usr/lib/binfmt.d/${emulators[architecture]}.conf > /proc/sys/fs/binfmt_misc/register`;
      console.error(
        `this machine (${machine}) does not run programs for ${architecture}, which the image's build does; install qemu-user-static and, where no service of the machine does so, register it:\n  ${how}`,
      );
      process.exit(1);
    }
}

mkdirSync(cache, { recursive: true });
buildah("rmi", "--prune"); // what the builds before have left
if (values.push === undefined) buildLocally();
else {
  checkEmulation();
  buildAndPush(values.push);
}
