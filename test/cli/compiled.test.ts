import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { basename, dirname, join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { refusal, Scratch } from "./scratch";

const scratch = Scratch.forEach();
let folder: string;
beforeEach(() => {
  folder = dirname(scratch.cli);
  scratch.write("clusters/prod.yaml", "clusterDNS: [10.96.0.10]\nkubeProxyMode: iptables\nagentImage: agent:1\n");
});

const caches = () => fs.readdirSync(folder).filter((name) => name.endsWith(".cache"));

it("V8's code cache is replaced if V8 refuses it, with the same output", () => {
  // Those of earlier sources, and of other versions of Node that ran here.
  for (const name of caches()) fs.rmSync(join(folder, name));
  expect(scratch.runBundle("synth").exitCode).toBe(0);
  const cache = join(folder, caches().join());
  const written = fs.readFileSync(cache);
  for (const contents of ["", written.subarray(0, written.length / 2)]) {
    fs.writeFileSync(cache, contents);
    expect(scratch.runBundle("synth", "--check")).toMatchObject({ exitCode: 0, stderr: "" });
    expect(fs.readFileSync(cache).length).toBeGreaterThan(100_000);
    expect(scratch.runBundle("synth", "--check")).toMatchObject({ exitCode: 0, stderr: "" });
  }
});

it("whatever the umask, nobody else can write a code cache that others run", () => {
  for (const name of caches()) fs.rmSync(join(folder, name));
  const before = process.umask(0);
  try {
    expect(scratch.runBundle("synth").exitCode).toBe(0);
  } finally {
    process.umask(before);
  }
  const modes = caches().map((name) => fs.statSync(join(folder, name)).mode & 0o022);
  expect(new Set(modes)).toEqual(new Set([0]));
});

it("a mistake leaves no code cache, which would lack most of what a synthesis compiles", () => {
  const before = caches();
  expect(scratch.runBundle("explain", "none").exitCode).toBe(1);
  expect(caches()).toEqual(before);
});

it("a synthesis loads no more of Node than it needs, such as child processes: 4% of its time", () => {
  const bundle = fs.readFileSync(join(dirname(scratch.cli), "synth.js"), "utf8");
  const loaded = [...bundle.matchAll(/\brequire\("(?:node:)?([\w/]+)"\)/g)].map(([, name]) => name);
  expect([...new Set(loaded)].sort()).toEqual(["buffer", "crypto", "fs", "os", "path", "util"]);
});

it("is found beside itself, also through a link that Node does not follow", () => {
  fs.mkdirSync(join(scratch.folder, "bin"));
  fs.symlinkSync(scratch.cli, join(scratch.folder, "bin/cluster-dns.js"));
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--preserve-symlinks", "--preserve-symlinks-main", "bin/cluster-dns.js", "synth", "--quiet"],
    { cwd: scratch.folder, encoding: "utf8" },
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

const needed = { "lib/cli/synth.js": "synth", "lib/cli/commands.js": "explain prod", "package.json": "--version" };
it.each(Object.entries({ ...needed, "clusters/schema.json": "explain prod" }))(
  "a package without its %s is told so",
  (file, args) => {
    const missing = join(folder, "../..", file);
    fs.rmSync(missing);
    expect(scratch.runBundle(...args.split(" "))).toEqual(
      refusal(
        `cdk8s-cluster-dns: ${fs.realpathSync(dirname(missing))}/${basename(file)} cannot be read: a part of this package is missing; install cdk8s-cluster-dns again\n`,
      ),
    );
  },
);

it.each(["20.18.3", "21.7.3", "22.11.0"])("an older Node is told so: %s", (version) => {
  scratch.write("older.cjs", `Object.defineProperty(process.versions, "node", { value: "${version}" });`);
  expect(scratch.runBundleWith({ NODE_OPTIONS: "--require ./older.cjs" }, "synth")).toEqual(
    refusal(`cdk8s-cluster-dns: needs Node 20.19, or 22.12 or newer, but this is ${version}; install a newer one\n`),
  );
});

it("a package that cannot be written to does without", () => {
  const before = caches();
  fs.chmodSync(scratch.folder, 0o755);
  fs.chmodSync(folder, 0o555);
  expect(scratch.runAsNobody("explain", "prod")).toMatchObject({ exitCode: 0, stderr: "" });
  expect(caches()).toEqual(before);
  fs.chmodSync(folder, 0o755);
});
