import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "./repository";

interface Manifest {
  readonly bin: { readonly [name: string]: string };
  readonly dependencies: object;
  readonly peerDependencies: object;
}

let folder: string;

/** A user's folder, with the packed package installed as npm does it. */
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "package-"));
  const packed = execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], {
    cwd: root,
    encoding: "utf8",
    shell: isWindows,
  });
  const installed = join(folder, "node_modules/cdk8s-cluster-dns");
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", [
    "-xzf",
    join(folder, packed.trim().split("\n").at(-1) ?? ""),
    "--strip-components=1",
    "-C",
    installed,
  ]);

  const { bin, dependencies, peerDependencies } = JSON.parse(
    readFileSync(join(installed, "package.json"), "utf8"),
  ) as Manifest;
  // Its dependencies come from here, so that no registry is needed.
  for (const name of Object.keys({ ...dependencies, ...peerDependencies })) {
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name), "junction");
  }
  mkdirSync(join(folder, "node_modules/.bin"));
  for (const [name, file] of Object.entries(bin))
    symlinkSync(join(installed, file), join(folder, "node_modules/.bin", name));
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const isWindows = process.platform === "win32";

function node(...args: string[]): string {
  return execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
}

function write(file: string, text: string): void {
  writeFileSync(join(folder, file), text);
}

const useIt = `const chart = new Chart(new App(), "c");
const dns = new ClusterDns(chart, "dns", { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables" });
console.log(typeof AuthoritativeDns, typeof NodeLocalDns, dns.kubeletConfiguration.clusterDNS[0], chart.toJson().length > 5);`;
const used = "function function 10.96.0.10 true\n";

describe("the packed package", () => {
  const installed = () => join(folder, "node_modules/cdk8s-cluster-dns");

  it("contains the build, the schema and what its pages link to, and no sources", () => {
    expect(
      readdirSync(installed())
        .filter((name) => !name.endsWith(".md"))
        .sort(),
    ).toEqual(["LICENSE", "clusters", "docs", "examples", "lib", "package.json"]);
    const pages = readdirSync(installed(), { recursive: true, encoding: "utf8" }).filter((path) =>
      path.endsWith(".md"),
    );
    expect(pages).toContain("README.md");
    const dangling = pages.flatMap((page) =>
      [...readFileSync(join(installed(), page), "utf8").matchAll(/\]\((?!\w+:)([^)#]+)/g)]
        .map(([, link = ""]) => join(dirname(page), link))
        // For those who develop it.
        .filter((path) => !/^(src|test|images)\//.test(path) && !existsSync(join(installed(), path))),
    );
    expect(dangling).toEqual([]);
  });

  it("is imported by name from an ES module", () => {
    write(
      "esm.mjs",
      `import { App, Chart } from "cdk8s";\nimport { AuthoritativeDns, ClusterDns, NodeLocalDns } from "cdk8s-cluster-dns";\n${useIt}`,
    );
    expect(node("esm.mjs")).toBe(used);
  });

  it("is required from CommonJS", () => {
    write(
      "cjs.cjs",
      `const { App, Chart } = require("cdk8s");\nconst { AuthoritativeDns, ClusterDns, NodeLocalDns } = require("cdk8s-cluster-dns");\n${useIt}`,
    );
    expect(node("cjs.cjs")).toBe(used);
  });

  it("is typed for TypeScript, without anything that users lack", () => {
    const imports = `import { App, Chart } from "cdk8s";\nimport { AuthoritativeDns, ClusterDns, NodeLocalDns, type ClusterDnsProps } from "cdk8s-cluster-dns";\n`;
    const typed = `const mode: ClusterDnsProps["kubeProxyMode"] = "ipvs";\n// @ts-expect-error\nconst wrong: ClusterDnsProps["kubeProxyMode"] = "ipv";\nconsole.assert(mode !== wrong);\n`;
    for (const file of ["typed.mts", "typed.cts"]) write(file, imports + typed + useIt);
    const options = {
      strict: true,
      module: "nodenext",
      target: "es2022",
      types: ["node"],
      typeRoots: [join(root, "node_modules/@types")],
    };
    write("tsconfig.json", JSON.stringify({ compilerOptions: options, files: ["typed.mts", "typed.cts"] }));
    node(join(root, "node_modules/typescript/bin/tsc"));
    expect(node("typed.mjs")).toBe(used);
    expect(node("typed.cjs")).toBe(used);
  });

  it("provides the command", () => {
    const npx = (...args: string[]) =>
      execFileSync("npx", ["--no", "cdk8s-cluster-dns", ...args], {
        cwd: folder,
        encoding: "utf8",
        shell: isWindows,
      });
    npx("init", "prod");
    expect(npx("synth")).toMatch(/dist: 1 cluster; files: \d+ new/);
  });
});

describe("examples", () => {
  const run = (file: string) =>
    execFileSync(process.execPath, [file], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, OUT_DIR: join(folder, "out") },
    });

  it("TypeScript: the whole DNS in a user's own chart, with a patch", () => {
    cpSync(join(root, "examples/typescript/main.ts"), join(folder, "example.cts"));
    const options = ["--module", "nodenext", "--target", "es2022", "--strict", "--types", "node", "--ignoreConfig"];
    node(
      join(root, "node_modules/typescript/bin/tsc"),
      ...options,
      "--typeRoots",
      join(root, "node_modules/@types"),
      "example.cts",
    );
    run("example.cjs");
    const written = readFileSync(join(folder, "out/platform.k8s.yaml"), "utf8");
    expect(written).toContain("owner: platform");
    expect(written).toContain("nameservers: 10.96.0.10");
  });

  it("JavaScript: a single component", () => {
    cpSync(join(root, "examples/javascript/main.cjs"), join(folder, "alone.cjs"));
    expect(run("alone.cjs")).toBe("pods ask 10.100.0.10, the cache listens on 169.254.20.10,10.100.0.10\n");
    expect(readFileSync(join(folder, "out/node-local-dns.k8s.yaml"), "utf8")).toContain("serve_stale 1h");
  });
});

describe("npx cdk8s synth", () => {
  it("writes the same bytes as npx cdk8s-cluster-dns synth", () => {
    const user = join(folder, "user");
    mkdirSync(user);
    cpSync(join(root, "clusters"), join(user, "clusters"), { recursive: true });
    const environment = { ...process.env, CDK8S_CHECK_UPGRADE: "false" };
    const app = `${process.execPath} ${join(root, "lib/main.js")}`;
    execFileSync(process.execPath, [join(root, "node_modules/cdk8s-cli/bin/cdk8s"), "synth", "--app", app], {
      cwd: user,
      env: environment,
    });
    const again = execFileSync(process.execPath, [join(root, "lib/cli/main.js"), "synth"], {
      cwd: user,
      encoding: "utf8",
    });
    expect(again).toContain("files: 0 new, 0 changed, 0 deleted, ");
  });
});
