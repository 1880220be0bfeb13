import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, expect, it } from "vitest";
import { root } from "../repository";
import { Scratch } from "./scratch";

const cluster = "clusterDNS: [10.96.0.10]\nkubeProxyMode: iptables\n";
const image = `registry.example/agent:0.1.0@sha256:${"0".repeat(64)}`;

const scratch = new Scratch();

/** The command line as `npm run release` builds it. */
beforeAll(async () => {
  const { bundleCli } = (await import(pathToFileURL(join(root, "scripts/build.mjs")).href)) as {
    bundleCli(file: string, agentImage: string): Promise<void>;
  };
  await bundleCli(scratch.cli, image);
});

it("a released package needs no agentImage, uses one that is given, and does without on request", () => {
  scratch.write("clusters/default.yaml", cluster);
  scratch.write("clusters/own.yaml", `${cluster}agentImage: registry.example/own:1\n`);
  scratch.write("clusters/without.yaml", `${cluster}agentImage: none\n`);
  expect(scratch.runBundle("synth")).toMatchObject({ exitCode: 0, stderr: "" });
  const files = Object.entries(scratch.snapshot("dist"));
  const clustersWith = (text: string) => [
    ...new Set(files.filter(([, content]) => content.includes(text)).map(([path]) => path.split("/")[0])),
  ];
  expect(clustersWith(image)).toEqual(["default"]);
  expect(clustersWith("registry.example/own:1")).toEqual(["own"]);
});
