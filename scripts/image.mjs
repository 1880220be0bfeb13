// Builds the agent's image with buildah. As root.
//
//     npm run image                              for this machine, from Debian packages and npm's Node: no image registry needed.
//                                                Writes .cache/image/agent.tar (docker-archive), to load with ctr, docker or podman.
//     npm run image -- --push REGISTRY/NAME      for amd64 and arm64 on the Dockerfile's own base; prints what agentImage must say.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const cache = join(root, ".cache/image");
const suite = "bookworm";
const nodeMajor = 24;

const { values } = parseArgs({
  options: { push: { type: "string" }, base: { type: "string" }, tag: { type: "string", default: "dev" } },
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
function localBase() {
  const image = `localhost/agent-base:${suite}-node${nodeMajor}`;
  const folder = join(cache, `base-${suite}-node${nodeMajor}`);
  if (!existsSync(folder)) {
    const unfinished = `${folder}.unfinished`;
    rmSync(unfinished, { recursive: true, force: true });
    const mirror = process.env.DEBIAN_MIRROR ?? "http://deb.debian.org/debian";
    run("debootstrap", ["--variant=minbase", "--include=iptables,nftables,iproute2", suite, unfinished, mirror]);
    const npm = join(cache, "node");
    mkdirSync(npm, { recursive: true });
    run("npm", ["install", "--prefix", npm, "--no-save", `node@${nodeMajor}`]);
    cpSync(join(npm, "node_modules/node/bin/node"), join(unfinished, "usr/local/bin/node"), { dereference: true });
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
  const container = buildah("from", "scratch");
  buildah("copy", "--quiet", container, folder, "/");
  buildah("commit", "--quiet", "--rm", container, image);
  return image;
}

function buildLocally() {
  const image = `localhost/cluster-dns-agent:${values.tag}`;
  const context = join(cache, "context");
  rmSync(context, { recursive: true, force: true });
  mkdirSync(context, { recursive: true });
  run(process.execPath, [join(root, "scripts/build-agent.mjs"), join(context, "agent.js")], { cwd: root });
  const base = values.base ?? localBase();
  buildah(
    "build",
    "--quiet",
    "--isolation",
    "chroot",
    "--build-arg",
    `BASE=${base}`,
    "--tag",
    image,
    "--ignorefile",
    "/dev/null",
    "--file",
    join(root, "images/agent/Dockerfile"),
    context,
  );
  const archive = join(cache, "agent.tar");
  rmSync(archive, { force: true });
  buildah("push", "--quiet", image, `docker-archive:${archive}:${image}`);
  console.log(`${image}\n${archive}`);
}

function buildAndPush(name) {
  const target = `${name}:${values.tag}`;
  const list = `localhost/cluster-dns-agent-list:${values.tag}`;
  const base = values.base === undefined ? [] : ["--build-arg", `BASE=${values.base}`];
  const file = join(root, "images/agent/Dockerfile");
  const ignore = `${file}.dockerignore`;
  buildah(
    "build",
    "--quiet",
    "--isolation",
    "chroot",
    "--platform",
    "linux/amd64,linux/arm64",
    ...base,
    "--manifest",
    list,
    "--ignorefile",
    ignore,
    "--file",
    file,
    root,
  );
  const digestFile = join(cache, "digest");
  buildah("manifest", "push", "--all", "--digestfile", digestFile, list, `docker://${target}`);
  console.log(`agentImage: ${target}@${run("cat", [digestFile])}`);
}

mkdirSync(cache, { recursive: true });
if (values.push === undefined) buildLocally();
else buildAndPush(values.push);
