import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readText, root } from "../repository";

// What the command line's image has beside Node. The image itself: e2e/image-push.
const agentImage = `registry.example/agent:1@sha256:${"0".repeat(64)}`;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "cli-image-"));
  execFileSync(process.execPath, [join(root, "scripts/build-cli.mjs"), join(folder, "image"), agentImage]);
  mkdirSync(join(folder, "work/clusters"), { recursive: true });
  writeFileSync(join(folder, "work/clusters/prod.yaml"), "clusterDNS: [10.96.0.10]\nkubeProxyMode: nftables\n");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function command(...args: string[]): string {
  const program = join(folder, "image/lib/cli/main.js");
  return execFileSync(process.execPath, [program, ...args], { cwd: join(folder, "work"), encoding: "utf8" });
}

it("renders with these files alone, with the agent's image of the release", () => {
  command("synth");
  const cache = readFileSync(join(folder, "work/dist/prod/node-local-dns/daemonset-node-local-dns.yaml"), "utf8");
  expect(cache).toContain(`image: ${agentImage}\n`);
  expect(command("explain", "prod", "--format", "json")).toContain(agentImage);
  expect(command("version")).toMatch(/^cdk8s-cluster-dns: \d+\.\d+\.\d+$/m);
});

it("has the annotations that Artifact Hub asks of an image", async () => {
  const { imageAnnotations } = (await import(pathToFileURL(join(root, "scripts/image-annotations.mjs")).href)) as {
    imageAnnotations(): Record<string, string>;
  };
  const { version } = JSON.parse(readText("package.json")) as { version: string };
  const annotations = imageAnnotations();
  const [, path = ""] =
    /^https:\/\/raw\.githubusercontent\.com\/\w+\/cdk8s-cluster-dns\/v[^/]+\/(.+)$/.exec(
      annotations["io.artifacthub.package.readme-url"] ?? "",
    ) ?? [];
  expect(readText(path)).toContain("# ");
  expect(annotations).toMatchObject({
    "org.opencontainers.image.version": version,
    "org.opencontainers.image.created": "1970-01-01T00:00:00.000Z",
  });
});
