import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { isWorkload, type KubernetesObject } from "../src/model/kubernetes/object";
import { podTemplate } from "../src/model/kubernetes/pods";
import { boxesIn, expectShown } from "./boxes";
import { importScript, namesIn, readText, root } from "./repository";
import { temporaryFolder } from "./temporary-folder";

interface Manifest {
  readonly version: string;
  readonly bin: { readonly [name: string]: string };
  readonly dependencies: object;
  readonly peerDependencies: object;
}

const folder = temporaryFolder("package");
const installed = () => join(folder, "node_modules/cdk8s-cluster-dns");
const manifestIn = (of: string) => JSON.parse(readFileSync(join(of, "package.json"), "utf8")) as Manifest;

/** A user's folder, with the packed package installed as npm does it. */
beforeAll(() => {
  execFileSync(process.execPath, [join(root, "scripts/build.mjs"), "--if-needed"]);
  const pack = ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder];
  const packed = execFileSync("npm", pack, { cwd: root, encoding: "utf8", shell: isWindows });
  mkdirSync(installed(), { recursive: true });
  const archive = join(folder, packed.trim().split("\n").at(-1) ?? "");
  execFileSync("tar", ["-xzf", archive, "--strip-components=1", "-C", installed()]);

  const { bin, dependencies, peerDependencies } = manifestIn(installed());
  // Its dependencies come from here, so that no registry is needed.
  for (const name of Object.keys({ ...dependencies, ...peerDependencies })) {
    symlinkSync(join(root, "node_modules", name), join(folder, "node_modules", name), "junction");
  }
  mkdirSync(join(folder, "node_modules/.bin"));
  for (const [name, file] of Object.entries(bin))
    symlinkSync(join(installed(), file), join(folder, "node_modules/.bin", name));
});

const isWindows = process.platform === "win32";

function node(...args: string[]): string {
  return execFileSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
}

let isCompiled = false;

/** All TypeScript of the user's folder: the compiler reads cdk8s anew each time, which takes seconds. */
function compile(): void {
  if (isCompiled) return;
  isCompiled = true;
  const imports = `import { App, Chart } from "cdk8s";\nimport { AuthoritativeDns, ClusterDns, NodeLocalDns, type ClusterDnsProps } from "cdk8s-cluster-dns";\n`;
  const typed = `const mode: ClusterDnsProps["kubeProxyMode"] = "ipvs";\n// @ts-expect-error\nconst wrong: ClusterDnsProps["kubeProxyMode"] = "ipv";\nconsole.assert(mode !== wrong);\n`;
  for (const file of ["typed.mts", "typed.cts"]) write(file, imports + typed + useIt);
  const examples = namesIn("examples/typescript").map((file) => file.replace(/\.ts$/, ""));
  for (const file of examples) cpSync(join(root, `examples/typescript/${file}.ts`), join(folder, `${file}.cts`));
  const files = ["typed.mts", "typed.cts", ...examples.map((file) => `${file}.cts`)];
  const typeRoots = [join(root, "node_modules/@types")];
  const options = { strict: true, module: "nodenext", target: "es2022", types: ["node"], typeRoots };
  write("tsconfig.json", JSON.stringify({ compilerOptions: options, files }));
  node(join(root, "node_modules/typescript/bin/tsc"));
}

function write(file: string, text: string): void {
  writeFileSync(join(folder, file), text);
}

const useIt = `const chart = new Chart(new App(), "c");
const dns = new ClusterDns(chart, "dns", { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables" });
console.log(typeof AuthoritativeDns, typeof NodeLocalDns, dns.kubeletConfiguration.clusterDNS[0], chart.toJson().length > 5);`;
const used = "function function 10.96.0.10 true\n";

describe("the packed package", () => {
  it("is what krew installs as a plugin of kubectl, by a path that the archive has", async () => {
    const { krewManifest } = await importScript<{ krewManifest(sha256: string): string }>("krew.mjs");
    const { spec } = parse(krewManifest("0123")) as { spec: { platforms: { [key: string]: string }[] } };
    const [{ bin = "", uri, sha256 } = {}] = spec.platforms;
    const { version } = manifestIn(root);
    const released = new RegExp(`/releases/download/v${version}/cdk8s-cluster-dns-${version}\\.tgz$`);
    expect({ uri, sha256 }).toEqual({ uri: expect.stringMatching(released), sha256: "0123" });
    const program = join(installed(), bin.replace(/^package\//, ""));
    expect(execFileSync(program, ["doctor", "--help"], { encoding: "utf8" })).toContain("kubectl cluster-dns doctor");
  });

  it("contains the build, the schema and what its pages link to, and no sources", () => {
    const others = readdirSync(installed()).filter((name) => !name.endsWith(".md"));
    expect(others.sort()).toEqual(["LICENSE", "clusters", "docs", "examples", "lib", "package.json"]);
    const files = readdirSync(installed(), { recursive: true, encoding: "utf8" });
    const pages = files.filter((path) => path.endsWith(".md"));
    expect(pages).toContain("README.md");
    const dangling = pages.flatMap((page) =>
      [...readFileSync(join(installed(), page), "utf8").matchAll(/\]\((?!\w+:)([^)#]+)/g)]
        .map(([, link = ""]) => join(dirname(page), link))
        .filter((path) => !existsSync(join(installed(), path))),
    );
    expect(dangling).toEqual([]);
  });

  it.each([
    ["is imported by name from an ES module", "esm.mjs", "import", (name: string) => `from "${name}"`],
    ["is required from CommonJS", "cjs.cjs", "const", (name: string) => `= require("${name}")`],
  ])("%s", (_, file, keyword, of) => {
    const ours = `${keyword} { AuthoritativeDns, ClusterDns, NodeLocalDns } ${of("cdk8s-cluster-dns")}`;
    write(file, `${keyword} { App, Chart } ${of("cdk8s")};\n${ours};\n${useIt}`);
    expect(node(file)).toBe(used);
  });

  it("is typed for TypeScript, without anything that users lack", () => expect(compile).not.toThrow());

  it("has declarations that import nothing but themselves and what npm installs with them", () => {
    const { dependencies, peerDependencies } = manifestIn(installed());
    const files = readdirSync(join(installed(), "lib"), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".d.ts"))
      .map((path) => join(installed(), "lib", path));
    const imports = /(?:\bfrom |\bimport\(|\bimport )"([^"]+)"/g;
    const imported = files.flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(imports)].map(([, path = ""]) => ({ file, path })),
    );
    expect(imported.length).toBeGreaterThan(files.length);
    const installedWithIt = Object.keys({ ...dependencies, ...peerDependencies });
    const missing = imported.filter(({ file, path }) =>
      path.startsWith(".")
        ? !["", "/index"].some((end) => existsSync(join(dirname(file), `${path}${end}.d.ts`)))
        : !installedWithIt.includes(path),
    );
    expect(missing).toEqual([]);
  });

  it("exports its API, the schema of cluster files and its manifest, and no file of its inside", () => {
    const names = ["", "/clusters/schema.json", "/package.json", "/lib/index.js", "/lib/model/defaults.js"];
    const resolved = (name: string) =>
      `try { require.resolve("cdk8s-cluster-dns${name}"); "yes" } catch ({ code }) { code }`;
    const evals = names.map((name) => `eval(${JSON.stringify(resolved(name))})`);
    const told = node("-p", `JSON.stringify([${evals.join()}])`);
    const hidden = "ERR_PACKAGE_PATH_NOT_EXPORTED";
    expect(JSON.parse(told)).toEqual(["yes", "yes", "yes", hidden, hidden]);
  });

  it("provides the command", () => {
    node(join(installed(), "lib/cli/main.js"), "init", "prod");
    // With npx, pnpm and Yarn: test/registry.
    expect(node("node_modules/.bin/cdk8s-cluster-dns", "synth")).toMatch(/dist: 1 cluster; files: \d+ new/);
  });
});

describe("examples", () => {
  const toOut = { ...process.env, OUT_DIR: join(folder, "out") };
  const run = (file: string) => execFileSync(process.execPath, [file], { cwd: folder, encoding: "utf8", env: toOut });

  const objectsIn = (file: string) =>
    parseAllDocuments(readFileSync(join(folder, "out", file), "utf8")).map((each) => each.toJS() as KubernetesObject);
  const podOf = (objects: KubernetesObject[], name: string) => {
    const workload = objects.find((each) => isWorkload(each) && each.metadata.name === name);
    return podTemplate(workload ?? {}).spec;
  };

  it("TypeScript: the whole DNS in a user's own chart, with a patch; namespaces whose pods may only ask the DNS", () => {
    compile();
    run("main.cjs");
    const platform = readFileSync(join(folder, "out/platform.k8s.yaml"), "utf8");
    expect(platform).toContain("owner: platform");
    expect(platform).toContain("nameservers: 10.96.0.10");
    run("default-deny.cjs");
    const denied = readFileSync(join(folder, "out/default-deny.k8s.yaml"), "utf8");
    expect(denied).toMatch(/namespace: search[^]*port: 53[^]*k8s-app: kube-dns[^]*cidr: 169\.254\.20\.10\/32/);
  });

  it("TypeScript: the watchdog in a DaemonSet of one's own", () => {
    compile();
    run("watchdog-in-your-daemonset.cjs");
    const objects = objectsIn("network.k8s.yaml");
    const named = (kind: string) => objects.filter((each) => each.kind === kind).map(({ metadata }) => metadata.name);
    expect(named("DaemonSet")).toEqual(["node-local-dns", "network-agent"]);
    expect(named("ServiceAccount")).not.toContain("node-local-dns-watchdog");
    const { containers, volumes } = podOf(objects, "network-agent");
    expect(containers.map(({ args }) => args?.[0])).toEqual([undefined, "watchdog"]);
    const configured = (volumes ?? []).flatMap(({ configMap }) => configMap?.name ?? []);
    expect(configured).toEqual([expect.stringMatching(/^node-local-dns-watchdog-/)]);
    expect(named("ConfigMap")).toEqual(expect.arrayContaining(configured));
  });

  it("TypeScript: fields of pods, the same as by the kustomize overlay", () => {
    compile();
    run("fields-of-pods.cjs");
    const patch = parse(readText("examples/kustomize/coredns.yaml")) as KubernetesObject;
    // Lists hold what the patch has, beside others.
    const held = (value: unknown): unknown => (Array.isArray(value) ? expect.arrayContaining(value) : value);
    const each = (fields: object) =>
      Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, held(value)]));
    const { containers, ...fields } = podTemplate(patch).spec;
    expect(podOf(objectsIn("platform.k8s.yaml"), "coredns")).toMatchObject({
      ...each(fields),
      containers: containers.map(({ env, volumeMounts }) => each({ env, volumeMounts })),
    });
  });

  it("JavaScript: the app of docs/api.md, which prints what the page shows", () => {
    const boxes = boxesIn("docs/api.md").map(({ text }) => text);
    const [program = "", command = ""] = ["// app.mjs\n", "$ node app.mjs\n"].map((first) =>
      boxes.find((text) => text.startsWith(first)),
    );
    write("app.mjs", program);
    expectShown(`$ node app.mjs\n${run("app.mjs")}`, command);
    expect(readFileSync(join(folder, "out/dns.k8s.yaml"), "utf8")).toContain("name: kube-dns");
  });

  it("JavaScript: a single component", () => {
    cpSync(join(root, "examples/javascript/main.cjs"), join(folder, "alone.cjs"));
    expect(run("alone.cjs")).toBe("pods ask 10.100.0.10, the cache listens on 169.254.20.10,10.100.0.10\n");
    expect(readFileSync(join(folder, "out/node-local-dns.k8s.yaml"), "utf8")).toContain("serve_stale 1h");
  });
});

it("npx cdk8s synth writes the same bytes as npx cdk8s-cluster-dns synth", () => {
  const user = join(folder, "user");
  mkdirSync(join(user, "clusters"), { recursive: true });
  for (const file of ["multi-tenant", "nftables-dual-stack"])
    cpSync(join(root, `clusters/${file}.yaml`), join(user, `clusters/${file}.yaml`));
  const unhurried = { cwd: user, env: { ...process.env, CDK8S_CHECK_UPGRADE: "false" } };
  const app = `${process.execPath} ${join(root, "lib/main.js")}`;
  const runs = (file: string, ...args: string[]) =>
    execFileSync(process.execPath, [join(root, file), "synth", ...args], { ...unhurried, encoding: "utf8" });
  runs("node_modules/cdk8s-cli/bin/cdk8s", "--app", app);
  const again = runs("lib/cli/main.js");
  expect(again).toContain("files: 0 new, 0 changed, 0 deleted, ");
});
