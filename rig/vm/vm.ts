import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Kernel } from "./kernel";
import { writeInitrd } from "./initrd";

export interface GuestWork {
  /** A shell script for the guest. It gets a folder that machine and guest write, at the same path in both. */
  script(share: string): string;
  /** Takes what it wrote there; the folder is deleted afterwards. */
  collect(share: string): void;
  readonly timeoutSeconds: number;
}

/**
 * Boots a kernel in QEMU, with the machine's files, runs a script in it as root, and returns its exit code. What the
 * script prints goes to this process's output. It has no network but its own, and changes no file of the machine but
 * those in the shared folder.
 */
export async function runInVm(kernel: Kernel, { script, collect, timeoutSeconds }: GuestWork): Promise<number> {
  const share = mkdtempSync(join(tmpdir(), "cdns-vm-"));
  try {
    const initrd = join(share, "initrd");
    await writeInitrd(kernel, initrd);
    writeFileSync(join(share, "guest.sh"), guest(share, script(share)));
    await boot(kernel, initrd, share, timeoutSeconds);
    collect(share);
    const exitCode = join(share, "exit-code");
    if (!existsSync(exitCode)) throw new Error("the guest ended before its command did: what it printed last says why");
    return Number(readFileSync(exitCode, "utf8"));
  } finally {
    rmSync(share, { recursive: true });
  }
}

function guest(share: string, script: string): string {
  return [
    `export HOME=/root PATH=${process.env["PATH"]}`,
    "ip link set lo up",
    // A pipe: nobody looks at a terminal.
    `{ ${script}; echo $? > ${share}/exit-code; } 2>&1 | cat`,
    "sync",
    "busybox poweroff -f",
    "",
  ].join("\n");
}

function boot(kernel: Kernel, initrd: string, share: string, timeoutSeconds: number): Promise<void> {
  // Beside a busy machine's work the emulated timer is late, and the kernel's check of it ends in a panic.
  const append = `console=ttyS0 quiet panic=-1 no_timer_check VM_SHARE=${share} VM_KERNEL=${kernel.folder}`;
  // Without KVM, which not every machine has that is itself virtual. One CPU: of two that QEMU translates, one now and then
  // ran into code that the other was patching, which no kernel survives at boot.
  const machine = ["-M", "pc", "-accel", "tcg", "-cpu", "max", "-m", "3072", "-smp", "1", "-nic", "none"];
  const serial = ["-display", "none", "-monitor", "none", "-serial", "stdio", "-no-reboot"];
  const files = [
    "local,path=/,mount_tag=machine,security_model=none,readonly=on,multidevs=remap",
    `local,path=${share},mount_tag=share,security_model=none`,
  ].flatMap((virtfs) => ["-virtfs", virtfs]);
  const started = [
    "-kernel",
    join(kernel.folder, "lib/modules", kernel.release, "vmlinuz"),
    "-initrd",
    initrd,
    "-append",
    append,
  ];
  return new Promise((resolve, reject) => {
    const child = spawn("qemu-system-x86_64", [...machine, ...serial, ...files, ...started], {
      stdio: ["ignore", "inherit", "inherit"],
      timeout: timeoutSeconds * 1000,
      killSignal: "SIGKILL",
    });
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      if (signal === "SIGKILL") reject(new Error(`the guest was ended after ${timeoutSeconds} seconds`));
      else if (code !== 0) reject(new Error(`QEMU failed with exit code ${code}`));
      else resolve();
    });
  });
}
