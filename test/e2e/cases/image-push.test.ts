import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { serveImages, type Registry } from "../../../rig/registries";
import { repositoryRoot } from "../../../rig/repository";
import { attempt, run } from "../../../rig/run";
import { tool } from "../../../rig/tools";
import { temporaryFolder } from "../../temporary-folder";

const crane = tool("crane", "crane");
const binfmt = "/proc/sys/fs/binfmt_misc";
const emulator = join(binfmt, "qemu-aarch64");
const script = [process.execPath, join(repositoryRoot, "scripts/image.mjs")];

const folder = temporaryFolder("image-push");
let registry: Registry | undefined;
let image: string;
/** The test's changes to the machine, last one first. */
const undo: (() => unknown)[] = [];

beforeAll(async () => {
  registry = await serveImages(folder);
  image = `${registry.address}/cluster-dns-agent`;
});
afterAll(async () => {
  registry?.stop();
  for (const step of undo.toReversed()) await step();
});

it("reports mistakes before it builds", async () => {
  const { code, stderr } = await attempt([...script, "--push", `${image}:v1`, "--platform", "s390x"]);
  expect(code).toBe(1);
  expect(stderr).toContain("--platform: got s390x, accepted: amd64, arm64");
  expect(stderr).toMatch(/--push: got .*:v1, accepted: REGISTRY\/NAME/);
});

it("reports why it could not push", async () => {
  // http, but https is expected
  const { code, stdout, stderr } = await attempt([...script, "--push", image], { timeoutSeconds: 1200 });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain("server gave HTTP response to HTTPS client");
});

it("pushes the image for both architectures, and prints the value for the cluster file", async () => {
  const how = ["--tag", "v1", "--tls-verify", "false"];
  const printed = await run([...script, "--push", image, ...how], { timeoutSeconds: 1200 });
  const digest = (await run([crane, "digest", "--insecure", `${image}:v1`])).trim();
  expect(printed).toContain(`agentImage: ${image}:v1@${digest}`);

  // only running the programs needs the emulator
  await registerEmulator();
  for (const [architecture, machine] of [
    ["amd64", "x64"],
    ["arm64", "arm64"],
  ] as const) {
    const platform = ["--insecure", "--platform", `linux/${architecture}`];
    const { layers: compressed } = JSON.parse(await run([crane, "manifest", ...platform, `${image}@${digest}`])) as {
      layers: readonly { readonly size: number }[];
    };
    expect(compressed.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(60_000_000);
    const rootfs = join(folder, architecture);
    const layers = join(folder, `${architecture}.tar`);
    await run([crane, "export", ...platform, `${image}@${digest}`, layers], { timeoutSeconds: 300 });
    await run(["mkdir", "-p", rootfs]);
    await run(["tar", "-xf", layers, "-C", rootfs], { timeoutSeconds: 300 });
    const inside = (...argv: string[]) => attempt(["chroot", rootfs, ...argv]);
    expect((await inside("node", "--print", "process.arch")).stdout.trim()).toBe(machine);
    // the others first open netlink sockets, which the emulator does not support
    expect((await inside("iptables-legacy", "--version")).stdout).toMatch(/^iptables v1/);
    expect((await inside("node", "/opt/agent/agent.js")).stdout).toContain("got no program, accepted: node-setup");
  }
});

it("pushes the command line's image, which renders a cluster file", async () => {
  const name = `${registry?.address}/cdk8s-cluster-dns`;
  const how = ["--of", "cli", "--tag", "v1", "--tls-verify", "false", "--platform", "amd64"];
  const printed = await run([...script, "--push", name, ...how], { timeoutSeconds: 1200 });
  const digest = (await run([crane, "digest", "--insecure", `${name}:v1`])).trim();
  expect(printed).toBe(`image: ${name}:v1@${digest}\n`);

  const pulled = ["--insecure", "--platform", "linux/amd64", `${name}@${digest}`];
  const { annotations } = JSON.parse(await run([crane, "manifest", ...pulled])) as {
    annotations: Readonly<Record<string, string>>;
  };
  expect(annotations["org.opencontainers.image.title"]).toBe("cdk8s-cluster-dns");
  const { config } = JSON.parse(await run([crane, "config", ...pulled])) as {
    config: { Entrypoint: string[]; User: string };
  };
  expect(config.User).toBe("65534:65534");

  const rootfs = join(folder, "cli");
  await run([crane, "export", ...pulled, `${rootfs}.tar`], { timeoutSeconds: 300 });
  await run(["mkdir", "-p", join(rootfs, "work/clusters")]);
  await run(["tar", "-xf", `${rootfs}.tar`, "-C", rootfs], { timeoutSeconds: 300 });
  writeFileSync(join(rootfs, "work/clusters/prod.yaml"), "clusterDNS: [10.96.0.10]\nkubeProxyMode: nftables\n");
  const inside = [...config.Entrypoint, "synth", "--clusters", "/work/clusters", "--out", "/work/dist"];
  await run(["chroot", rootfs, ...inside]);
  expect(existsSync(join(rootfs, "work/dist/prod/kustomization.yaml"))).toBe(true);
});

/** As a system service does once the package is installed. */
async function registerEmulator(): Promise<void> {
  if (existsSync(emulator)) return;
  if (!existsSync(join(binfmt, "register"))) {
    await run(["mount", "-t", "binfmt_misc", "none", binfmt]);
    undo.push(() => run(["umount", binfmt]));
  }
  writeFileSync(join(binfmt, "register"), readFileSync("/usr/lib/binfmt.d/qemu-aarch64.conf"));
  undo.push(() => writeFileSync(emulator, "-1"));
}
