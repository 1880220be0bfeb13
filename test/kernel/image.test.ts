import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { agentConfig, startWatchdog } from "../../rig/kernel/agent";
import { footprint } from "../../rig/kernel/footprint";
import { missingForKernelTests, stop } from "../../rig/kernel/namespace";
import { Network } from "../../rig/kernel/network";
import { cacheFolder, repositoryRoot } from "../../rig/repository";
import type { AgentConfig } from "../../src/model/agent-config/agent-config";

function missing(): string | undefined {
  const tools = ["buildah", "capsh", "dpkg-deb"];
  return (
    missingForKernelTests() ??
    tools.find((tool) => !process.env["PATH"]?.split(":").some((folder) => exists(join(folder, tool))))
  );
}

// The image as its pods run it: read-only root, and only the capabilities that the constructs grant.
describe.skipIf(missing() !== undefined)("the agent's image", () => {
  let rootfs: string;
  let network: Network;

  beforeAll(async () => {
    execFileSync(process.execPath, [join(repositoryRoot, "scripts/image.mjs")], { cwd: repositoryRoot, stdio: "pipe" });
    rootfs = unpack(join(cacheFolder, "image/agent.tar"));
    network = await Network.create("iptables");
  });
  afterAll(async () => {
    await network?.remove();
    if (rootfs) rmSync(dirname(rootfs), { recursive: true, force: true });
  });

  function run(
    capabilities: readonly string[],
    args: readonly string[],
    config: AgentConfig = agentConfig(["IPv4"]),
  ): string {
    writeFileSync(join(network.folder, "config.json"), JSON.stringify(config));
    const inside = `exec capsh --chroot=${rootfs} --drop=${allBut(capabilities)} --no-new-privs --shell=/usr/local/bin/node -- --max-semi-space-size=1 /opt/agent/agent.js "$@"`;
    const script = `mount --bind ${rootfs} ${rootfs} && mount -o remount,ro,bind ${rootfs} && mount -t proc proc ${rootfs}/proc && mount --bind ${network.folder} ${rootfs}/mnt && mount --bind /dev ${rootfs}/dev && ${inside}`;
    return network.node.run("unshare", ["--mount", "--propagation", "private", "sh", "-c", script, "agent", ...args]);
  }

  test("contains Node 24 and every tool that the programs run", () => {
    const version = execFileSync("chroot", [rootfs, "node", "--version"], { encoding: "utf8" });
    expect(version).toMatch(/^v24\./);
    for (const tool of ["nft", "iptables-nft", "iptables-legacy", "ip6tables-nft-restore", "ip6tables-legacy-save"]) {
      expect(execFileSync("chroot", [rootfs, tool, "--version"], { encoding: "utf8" })).toMatch(/v1\./);
    }
  });

  test("contains no shell and no package manager", () => {
    const found = readdirSync(rootfs, { recursive: true, encoding: "utf8" }).filter((path) =>
      /^(.*\/)?(sh|bash|dash|busybox|npm|npx|corepack|apt|apt-get|dpkg)$/.test(path),
    );
    expect(found).toEqual(["var/lib/dpkg"]); // where scanners find the packages
  });

  test("sets up a node with NET_ADMIN alone, and cleans it up with NET_ADMIN and NET_RAW", () => {
    expect(run(["cap_net_admin"], ["node-setup", "--config", "/mnt/config.json"])).toContain("node is set up");
    expect(network.node.run("nft", ["list", "table", "inet", "node-local-dns"])).toContain("10.96.0.10");
    const removed = run(
      ["cap_net_admin", "cap_net_raw"],
      ["cleanup", "--config", "/mnt/config.json", "--force", "--once"],
    );
    expect(removed).toContain("link nodelocaldns");
  });

  test("with its Node, a watchdog writes less than 20 MiB while it starts", async () => {
    const node = join(rootfs, "usr/local/bin/node");
    // What was just unpacked counts as dirty until it is on the disk.
    execFileSync("sync", [node]);
    const watchdog = startWatchdog(network, agentConfig(["IPv4"]), {}, [node, "--max-semi-space-size=1"]).process;
    const { memory } = await footprint(watchdog.pid ?? 0, 20);
    await stop(watchdog);
    // Measured: 18; 22 while V8 compiled what it runs.
    expect(memory.dirty).toBeLessThan(20);
  });

  test("has the webhook, which is a file of its own", () => {
    expect(() => run([], ["webhook", "--config", "/mnt/config.json"])).toThrow(/certificates: is required/);
  });
});

function exists(path: string): boolean {
  try {
    execFileSync("test", ["-x", path]);
    return true;
  } catch {
    return false;
  }
}

/** For `capsh --drop`: every other capability that this process may have. */
function allBut(kept: readonly string[]): string {
  const [, mask = ""] = /^CapBnd:\s+(\w+)$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
  const [, names = ""] = execFileSync("capsh", [`--decode=${mask}`], { encoding: "utf8" })
    .trim()
    .split("=");
  return names
    .split(",")
    .filter((name) => !kept.includes(name))
    .join();
}

/** Extracts the layers of a docker-archive on top of each other, and adds the mount points that a runtime makes. */
function unpack(archive: string): string {
  const folder = mkdtempSync(join(tmpdir(), "cdns-image-"));
  const [rootfs, layers] = [join(folder, "rootfs"), join(folder, "layers")];
  for (const path of [rootfs, layers]) mkdirSync(path);
  execFileSync("tar", ["-xf", archive, "-C", layers]);
  const manifest = JSON.parse(execFileSync("cat", [join(layers, "manifest.json")], { encoding: "utf8" })) as {
    Layers: string[];
  }[];
  for (const layer of manifest[0]?.Layers ?? []) execFileSync("tar", ["-xf", join(layers, layer), "-C", rootfs]);
  for (const mount of ["dev", "mnt", "proc"]) mkdirSync(join(rootfs, mount));
  rmSync(layers, { recursive: true });
  return rootfs;
}
