// Makes the pictures of docs/modes.md, docs/paths/*.svg, from src/model/query-path. `--check` writes nothing and fails
// if a picture is stale.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const folder = join(root, "docs/paths");
const cluster = { clusterDNS: ["10.96.0.10"], agentImage: "registry.example/agent:1" };

/** One for each row of the README's table. */
const pictures = {
  "service-ip": ["service-ip, kube-proxy in iptables or nftables mode", { kubeProxyMode: "nftables" }],
  "link-local": [
    "link-local, kube-proxy in iptables or nftables mode",
    { kubeProxyMode: "nftables", nodeLocalDNS: { interception: "link-local" } },
  ],
  "link-local-ipvs": ["link-local, kube-proxy in ipvs mode", { kubeProxyMode: "ipvs" }],
  "node-cache": [
    "without agentImage, kube-proxy in iptables or nftables mode",
    { kubeProxyMode: "nftables", agentImage: undefined },
  ],
  "local-redirect": ["local-redirect, Cilium", { kubeProxyMode: "none", cni: "cilium" }],
  "no-cache": ["no node cache", { kubeProxyMode: "none" }],
};

const { blocksOf, fillIn, pathSvg, traces } = await load();
const drawn = Object.entries(pictures).map(([name, [title, props]]) => [
  `${name}.svg`,
  pathSvg(title, blocksOf(traces(fillIn({ ...cluster, ...props })))),
]);

if (process.argv.includes("--check")) {
  const expected = new Map(drawn);
  for (const file of new Set([...expected.keys(), ...readdirSync(folder)])) {
    if (expected.has(file) && read(join(folder, file)) === expected.get(file)) continue;
    console.error(`docs/paths/${file} does not match src/model/query-path: run \`npm run generate\``);
    process.exitCode = 1;
  }
} else {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [file, svg] of drawn) writeFileSync(join(folder, file), svg);
}

function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

async function load() {
  const scratch = mkdtempSync(join(tmpdir(), "pictures-"));
  const outfile = join(scratch, "pictures.cjs");
  try {
    const contents = [
      "src/model/full-props/fill-in",
      "src/model/query-path/blocks",
      "src/model/query-path/trace",
      "src/cli/path-svg",
    ]
      .map((file) => `export * from "./${file}";\n`)
      .join("");
    await build({ stdin: { contents, resolveDir: root }, outfile, bundle: true, platform: "node", format: "cjs" });
    return createRequire(import.meta.url)(outfile);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}
