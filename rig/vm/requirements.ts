import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { keyring } from "./kernel";

/** Commands that a VM and what it runs are made with, and that its tests run, with the Debian package of each. */
const commands = {
  "qemu-system-x86_64": "qemu-system-x86",
  busybox: "busybox-static",
  modprobe: "kmod",
  cpio: "cpio",
  unxz: "xz-utils",
  "apt-get": "apt",
  ipset: "ipset",
  dig: "dnsutils",
  buildah: "buildah",
  gcc: "gcc",
  "pkg-config": "pkg-config",
};

/** What this machine lacks to run a VM; empty if nothing. */
export function missingForVm(): string[] {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const lacking = Object.entries(commands).filter(
    ([name]) => !folders.some((folder) => existsSync(join(folder, name))),
  );
  return [
    ...(process.getuid?.() === 0 ? [] : ["root"]),
    ...(process.arch === "x64" ? [] : ["x86-64"]),
    ...lacking.map(([, name]) => name),
    ...(existsSync(keyring) ? [] : ["debian-archive-keyring"]),
    ...(existsSync("/usr/include/seccomp.h") ? [] : ["libseccomp-dev"]),
  ];
}
