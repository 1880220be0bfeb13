import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { repositoryRoot } from "../repository";
import { run } from "../run";
import type { Kernel } from "./kernel";

/** Writes the initrd: busybox, and the modules with which a kernel finds the machine's files. */
export async function writeInitrd({ folder, release }: Kernel, file: string): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "cdns-initrd-"));
  try {
    for (const path of ["bin", "modules", "proc", "dev", "lower", "upper", "root"]) mkdirSync(join(root, path));
    copyFileSync("/bin/busybox", join(root, "bin/busybox"));
    copyFileSync(join(repositoryRoot, "rig/vm/init.sh"), join(root, "init"));
    const loads = await run(["modprobe", "-d", folder, "-S", release, "-a", "--show-depends", ...needed]);
    const paths = new Set(Array.from(loads.matchAll(/^insmod (\S+)/gm), ([, path = ""]) => path));
    const names: string[] = [];
    for (const path of paths) {
      copyFileSync(path, join(root, "modules", basename(path)));
      if (path.endsWith(".xz")) await run(["unxz", join(root, "modules", basename(path))]);
      names.push(basename(path, ".xz"));
    }
    writeFileSync(join(root, "modules/order"), names.join("\n"));
    await run(["sh", "-c", 'chmod 755 init && find . | cpio --quiet -o -H newc > "$1"', "sh", file], { cwd: root });
  } finally {
    rmSync(root, { recursive: true });
  }
}

const needed = ["virtio_pci", "9pnet_virtio", "9p", "overlay"];
