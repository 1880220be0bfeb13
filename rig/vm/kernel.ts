import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { locked } from "../locked";
import type { Progress } from "../progress";
import { cacheFolder } from "../repository";
import { run } from "../run";

/** Debian's suites with the oldest kernel that our rules load in (nft_socket, Linux 5.10), and with a new one. */
const suites = { oldest: "bullseye", newest: "trixie-backports" } as const;

export type KernelName = keyof typeof suites;

export const kernelNames = Object.keys(suites) as KernelName[];

/** A kernel, unpacked: `lib/modules/RELEASE`, and `vmlinuz` in that. */
export interface Kernel {
  readonly folder: string;
  readonly release: string;
}

/** Debian's kernel, fetched once; delete the folder to get a newer one. */
export async function fetchKernel(name: KernelName, progress: Progress): Promise<Kernel> {
  const folder = join(cacheFolder, "vm", suites[name]);
  mkdirSync(join(cacheFolder, "vm"), { recursive: true });
  if (!existsSync(folder))
    await locked(`${folder}.lock`, async () => {
      if (!existsSync(folder)) await fetchInto(suites[name], folder, progress);
    });
  const [release = ""] = readdirSync(join(folder, "lib/modules"));
  return { folder, release };
}

async function fetchInto(suite: string, folder: string, progress: Progress): Promise<void> {
  progress(`fetching the kernel of Debian's ${suite}`);
  const unfinished = `${folder}.${process.pid}`;
  try {
    await download(suite, unfinished);
    renameSync(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

// As apt would from a sources.list with this suite alone; the machine's own is left as it is, and says where Debian's mirror is.
async function download(suite: string, folder: string): Promise<void> {
  for (const path of ["apt/lists/partial", "apt/cache/archives/partial", "lib"])
    mkdirSync(join(folder, path), { recursive: true });
  const targets = await run(["apt-get", "indextargets", "--format", "$(SITE)", "Origin: Debian", "Label: Debian"]);
  const [mirror = ""] = targets.split("\n");
  if (mirror === "")
    throw new Error(
      "apt knows no mirror of Debian: run apt-get update, on a Debian whose sources.list has its main archive",
    );
  writeFileSync(join(folder, "apt/sources.list"), `deb [signed-by=${keyring}] ${mirror} ${suite} main\n`);
  const apt = ["-q", `-oDir::Etc=${folder}/apt`, `-oDir::State=${folder}/apt`, `-oDir::Cache=${folder}/apt/cache`];
  await run(["apt-get", ...apt, "-oAcquire::Languages=none", "update"], { timeoutSeconds: 300 });
  const dependencies = async (name: string, wanted: RegExp) => {
    const depends = await run(["apt-cache", ...apt, "depends", name]);
    return Array.from(depends.matchAll(/Depends: (\S+)/g), ([, other = ""]) => other).filter((other) =>
      wanted.test(other),
    );
  };
  const [kernel = ""] = await dependencies("linux-image-amd64", /^linux-image-/);
  // New kernels come in parts.
  const parts = await dependencies(kernel, /^linux-(base|binary|modules)-/);
  await run(["apt-get", ...apt, "download", kernel, ...parts], { cwd: folder, timeoutSeconds: 600 });
  const archives = readdirSync(folder).filter((file) => file.endsWith(".deb"));
  for (const archive of archives)
    await run(["dpkg-deb", "-x", archive, "unpacked"], { cwd: folder, timeoutSeconds: 300 });

  const unpacked = join(folder, "unpacked");
  const modules = ["lib/modules", "usr/lib/modules"].map((path) => join(unpacked, path)).find(existsSync) ?? "";
  const [release = ""] = readdirSync(modules);
  const image = join(unpacked, `boot/vmlinuz-${release}`);
  if (existsSync(image)) renameSync(image, join(modules, release, "vmlinuz")); // where new kernels have it
  renameSync(modules, join(folder, "lib/modules"));
  await run(["depmod", "-b", folder, release], { timeoutSeconds: 300 });
  for (const path of ["unpacked", "apt", ...archives]) rmSync(join(folder, path), { recursive: true });
}

/** Of package debian-archive-keyring. */
export const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg";
