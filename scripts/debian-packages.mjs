// `npm run image:packages`: pins the Debian packages of the agent's image, as the archive has them today, in
// images/agent/debian-packages.txt. The archive's signed index vouches for each checksum.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

const suite = "bookworm";
/** The tools, and the libraries that they and Node load; their other dependencies serve programs that the image leaves out. */
const names = `
  base-files netbase libc6 libgcc-s1 libstdc++6
  iptables libip4tc2 libip6tc2 libxtables12 libmnl0 libnftnl11 libnetfilter-conntrack3 libnfnetlink0
  nftables libnftables1 libedit2 libtinfo6 libbsd0 libmd0 libjansson4 libgmp10
  iproute2 libbpf1 libelf1 zlib1g libcap2
`
  .trim()
  .split(/\s+/);
const archive = `${process.env.DEBIAN_MIRROR ?? "http://deb.debian.org/debian"}/dists/${suite}`;
const file = fileURLToPath(new URL("../images/agent/debian-packages.txt", import.meta.url));

const release = verified(await download(`${archive}/InRelease`));
const lines = [];
for (const architecture of ["amd64", "arm64"]) {
  const path = `main/binary-${architecture}/Packages.gz`;
  const index = await download(`${archive}/${path}`);
  const checksum = createHash("sha256").update(index).digest("hex");
  if (!release.split("\n").some((line) => line.startsWith(` ${checksum} `) && line.endsWith(` ${path}`)))
    throw new Error(`${path}: its checksum is not in InRelease`);
  const entries = new Map(
    gunzipSync(index)
      .toString()
      .split("\n\n")
      .map((entry) => [/^Package: (.*)$/m.exec(entry)?.[1], entry]),
  );
  for (const name of names) {
    const field = (key) => new RegExp(`^${key}: (.*)$`, "m").exec(entries.get(name) ?? "")?.[1];
    if (field("SHA256") === undefined) throw new Error(`${suite} has no ${name} for ${architecture}`);
    lines.push([field("SHA256"), architecture, name, field("Version"), field("Filename")].join(" "));
  }
}
writeFileSync(file, `${lines.join("\n")}\n`);
console.log(`${file}: ${lines.length} packages of ${/^Version: (.*)$/m.exec(release)?.[1]}`);

async function download(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  return Buffer.from(await response.arrayBuffer());
}

/** The signed text; fails without a signature of Debian's. */
function verified(signed) {
  const folder = mkdtempSync(join(tmpdir(), "debian-"));
  try {
    writeFileSync(join(folder, "InRelease"), signed);
    const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg";
    const args = ["--quiet", "--keyring", keyring, "--output", "-", join(folder, "InRelease")];
    return execFileSync("gpgv", args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
