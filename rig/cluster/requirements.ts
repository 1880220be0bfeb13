import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { run } from "../run";

/** The commands that the rig runs on the machine, with the Debian package of each. */
const commands: Readonly<Record<string, string>> = {
  ip: "iproute2",
  iptables: "iptables",
  nft: "nftables",
  conntrack: "conntrack",
  openssl: "openssl",
  unshare: "util-linux",
  nsenter: "util-linux",
  hostname: "hostname",
  git: "git",
  "redis-server": "redis-server",
  gcc: "gcc",
  "clang-19": "clang-19",
  "musl-gcc": "musl-tools",
  "pkg-config": "pkg-config",
  curl: "curl",
  dig: "dnsutils",
  dnsperf: "dnsperf",
  nc: "netcat-openbsd",
  buildah: "buildah",
  "dpkg-deb": "dpkg",
  "qemu-aarch64-static": "qemu-user-static",
};
const files: Readonly<Record<string, string>> = {
  "/usr/include/seccomp.h": "libseccomp-dev",
  "/usr/include/stdio.h": "libc6-dev",
};

/**
 * Fails with everything this machine lacks and the command that installs it. With `CI=true` it runs that command
 * itself.
 */
export async function checkRequirements(): Promise<void> {
  const problems: string[] = [];
  if (process.platform !== "linux" || process.arch !== "x64")
    problems.push(`needs Linux on x86-64, this is ${process.platform} on ${process.arch}`);
  if (process.getuid?.() !== 0) problems.push("needs root: it makes namespaces, mounts and cgroups");
  if (!onPath("go")) problems.push("needs Go 1.26 or newer on PATH: the real components are built from their modules");
  if (!existsSync("/sys/fs/cgroup/memory") || !existsSync("/sys/fs/cgroup/cpuset"))
    problems.push(
      "needs the version 1 cgroup hierarchies under /sys/fs/cgroup; a host with only cgroup v2 is untested",
    );
  if (problems.length > 0) throw new Error(["this machine cannot run the cluster:", ...problems].join("\n- "));
  await installPackages(lackingPackages());
}

async function installPackages(packages: readonly string[]): Promise<void> {
  if (packages.length === 0) return;
  const install = ["apt-get", "install", "-y", "--no-install-recommends", ...packages];
  if (process.env["CI"] !== "true") throw new Error(`packages are missing; install them with:\n  ${install.join(" ")}`);
  await run(["apt-get", "update"], { timeoutSeconds: 300 });
  await run(install, { timeoutSeconds: 600, env: { DEBIAN_FRONTEND: "noninteractive" } });
}

function lackingPackages(): string[] {
  const lacking = [
    ...Object.entries(commands).filter(([command]) => !onPath(command)),
    ...Object.entries(files).filter(([file]) => !existsSync(file)),
  ];
  return [...new Set(lacking.map(([, name]) => name))];
}

function onPath(command: string): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, command)));
}
