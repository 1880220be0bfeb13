import { chmodSync, renameSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { part, refusal, Scratch } from "./scratch";

const good = "clusterDNS: [10.96.0.10]\nkubeProxyMode: iptables\n";

describe("cluster-dns synth", () => {
  const scratch = Scratch.forEach();
  beforeEach(() => {
    scratch.write("clusters/prod.yaml", `${good}agentImage: registry.example/agent:1\n`);
    scratch.write("clusters/dev.yaml", good);
  });

  it("renders every cluster file into its own folder, and reports it", () => {
    const { exitCode, stdout, stderr } = scratch.run("synth");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(/^dist: 2 clusters; files: \d+ new, 0 changed, 0 deleted, 0 unchanged$/m);
    const some = "dev/kustomization.yaml dev/authoritative-dns/service-kube-dns.yaml prod/kubelet/50-cluster-dns.conf";
    expect(Object.keys(scratch.snapshot("dist"))).toEqual(expect.arrayContaining(some.split(" ")));
  });

  it("renders, with notes", () => {
    expect(scratch.run("synth", "dev").stdout).toContain("clusters/dev.yaml: note: every node has upstream's");
  });

  it("--quiet prints nothing but problems", () => {
    expect(scratch.run("synth", "-q")).toEqual({ exitCode: 0, stdout: "", stderr: "" });
    scratch.write("clusters/dev.yaml", "");
    expect(scratch.run("synth", "-q")).toEqual(refusal(part("clusters/dev.yaml:1:1 is empty")));
  });

  it("--check writes nothing, and names what would change", () => {
    scratch.run("synth");
    expect(scratch.run("synth", "--check")).toMatchObject({ exitCode: 0, stderr: "" });
    scratch.write("dist/dev/kustomization.yaml", `${scratch.read("dist/dev/kustomization.yaml")}# by hand\n`);
    unlinkSync(join(scratch.folder, "dist/dev/authoritative-dns/service-kube-dns.yaml"));
    unlinkSync(join(scratch.folder, "clusters/prod.yaml"));
    const before = scratch.snapshot("dist");
    const { exitCode, stdout, stderr } = scratch.run("synth", "--check");
    // Notes, and no summary.
    expect([exitCode, stdout]).toEqual([1, expect.stringMatching(/^clusters\/dev.yaml: note: .*\n$/)]);
    expect(stderr.split("\n")).toEqual(
      expect.arrayContaining([
        "dist/dev/authoritative-dns/service-kube-dns.yaml: is missing",
        "dist/dev/kustomization.yaml: is stale",
        "dist/prod/kustomization.yaml: should not exist",
        "dist does not match the cluster files; run npx cdk8s-cluster-dns synth",
      ]),
    );
    expect(scratch.snapshot("dist")).toEqual(before);
    expect(scratch.run("synth", "--check", "--out", "my dist", "dev").stderr).toMatch(
      /my dist does not match the cluster files; run npx cdk8s-cluster-dns synth --out 'my dist' dev\n$/,
    );
  });

  it("--check says why a log that has ended changes what was rendered", () => {
    scratch.write("clusters/prod.yaml", `${good}agentImage: registry.example/agent:1\nqueryLog: {until: 9999-12-31}\n`);
    scratch.run("synth", "prod");
    scratch.write("clusters/prod.yaml", `${good}agentImage: registry.example/agent:1\nqueryLog: {until: 2000-01-01}\n`);
    const { exitCode, stdout, stderr } = scratch.run("synth", "--check", "prod");
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^clusters\/prod.yaml: note: queryLog ended on 2000-01-01: /);
    expect(stderr).toMatch(/coredns-[0-9a-f]{10}\.yaml: is missing/);
  });

  it("writes the same bytes wherever it runs, and in whatever locale", () => {
    scratch.run("synth");
    const elsewhere = { LC_ALL: "tr_TR.UTF-8", LANG: "tr_TR.UTF-8", TZ: "Asia/Kathmandu" };
    for (const [name, value] of Object.entries(elsewhere)) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(scratch.run("synth").stdout).toContain("files: 0 new, 0 changed, 0 deleted, ");
  });

  it("lists what it deletes: the first few, and how many more", () => {
    scratch.run("synth");
    unlinkSync(join(scratch.folder, "clusters/dev.yaml"));
    expect(scratch.run("synth").stdout).toMatch(
      /^deleted: dist\/dev\/kustomization\.yaml(, dist\/dev\/[a-z-]+\/[\w.-]+){4} and \d+ more\ndist: 1 cluster; files: 0 new, 0 changed, \d+ deleted, \d+ unchanged\n$/,
    );
  });

  it("reports files left over from a renamed folder of cluster files", () => {
    scratch.run("synth", "dev");
    renameSync(join(scratch.folder, "clusters"), join(scratch.folder, "fleet"));
    expect(scratch.run("synth", "--clusters", "fleet", "prod").stdout).not.toContain("left alone");
    renameSync(join(scratch.folder, "fleet/dev.yaml"), join(scratch.folder, "fleet/test.yaml"));
    expect(scratch.run("synth", "--clusters", "fleet").stdout).toMatch(
      /^dist: note: \d+ files were generated from clusters\/dev\.yaml, which does not exist seen from here, and left alone; delete them if that cluster is gone$/m,
    );
    expect(Object.keys(scratch.snapshot("dist"))).toContain("dev");
  });

  it("accepts other folders, and a cluster by its name", () => {
    scratch.write("elsewhere/test.yml", good);
    expect(scratch.run("synth", "--clusters", "elsewhere", "--out=out/put", "test").exitCode).toBe(0);
    expect(Object.keys(scratch.snapshot("out/put"))).toContain("test/kustomization.yaml");
  });
});

describe("bad input: every error at once, exit code 1, dist/ unchanged", () => {
  const scratch = new Scratch();
  let before: { [path: string]: string };
  beforeAll(() => {
    scratch.write("clusters/prod.yaml", good);
    scratch.run("synth");
    before = scratch.snapshot("dist");
  });

  function expectRefused(...args: string[]): string {
    const { stderr, ...rest } = scratch.run("synth", ...args);
    expect(rest).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).not.toMatch(/^\s+at |this should not happen/m);
    expect(scratch.snapshot("dist")).toEqual(before);
    return stderr;
  }

  // What may be wrong: test/model/check, test/config and test/output.
  it("in several files", () => {
    scratch.write("clusters/a.yaml", "");
    scratch.write("clusters/b.yaml", "kubeProxyMode: ipv\n");
    scratch.write("clusters/prod.yaml", `${good}clusterDomian: x.y\n`);
    const lines = expectRefused().trimEnd().split("\n");
    const places = ["a.yaml:1:1", "b.yaml:1:1", "b.yaml:1:16", "prod.yaml:3:1"];
    expect(lines.map((line) => line.split(" ")[0])).toEqual(places.map((each) => `clusters/${each}`));
    expect(lines.at(-1)).toContain(" clusterDomian: unknown key; did you mean clusterDomain?");
  });

  it("an output folder that is not apart from the cluster files", () => {
    expect(expectRefused("--out", ".")).toContain("the folder of the cluster files, clusters; choose an --out");
  });
});

describe("a folder in the way:", () => {
  const scratch = Scratch.forEach();
  const restrict = (path: string, mode: number) => {
    chmodSync(join(scratch.folder, path), mode);
    onTestFinished(() => chmodSync(join(scratch.folder, path), 0o755));
  };

  it("a read-only dist/, which stays unchanged", () => {
    chmodSync(scratch.folder, 0o755);
    scratch.write("clusters/prod.yaml", good);
    scratch.run("synth");
    const before = scratch.snapshot("dist");
    scratch.write("clusters/prod.yaml", `${good}clusterDomain: other.local\n`);
    for (const name of ["authoritative-dns", "kubelet"]) restrict(`dist/prod/${name}`, 0o555);

    const why = "cannot be written to (EACCES); get the right to, or choose another --out\n";
    expect(scratch.runAsNobody("synth")).toEqual(refusal(part(`dist/prod/authoritative-dns ${why}`)));
    expect(scratch.snapshot("dist")).toEqual(before);
    expect(scratch.runAsNobody("synth", "--check").stderr).toMatch(/^dist\/prod\/authoritative-dns\/\S+: is stale$/m);
  });

  it("a stale folder that cannot be read", () => {
    chmodSync(scratch.folder, 0o755);
    for (const name of ["a", "b"]) scratch.write(`clusters/${name}.yaml`, good);
    scratch.run("synth");
    unlinkSync(join(scratch.folder, "clusters/b.yaml"));
    restrict("dist/b", 0);
    for (const args of [["synth", "--check"], ["diff"]]) {
      const stderr = "dist/b cannot be read (EACCES)\n";
      expect(scratch.runAsNobody(...args)).toMatchObject({ exitCode: 1, stderr });
    }
  });

  it("mistakes are told, and dist/ is as it was, even if another process holds it", () => {
    scratch.write("clusters/a.yaml", good);
    scratch.run("synth");
    scratch.write("clusters/a.yaml", `${good}clusterDomain: other.local\n`);
    scratch.write("clusters/z.yaml", "nope: 1\n");
    scratch.write("dist/.synth-1-01234567/.gitignore", "# process 1 on another\n*\n");
    const before = statSync(join(scratch.folder, "dist")).mtimeMs;
    expect(scratch.run("synth")).toEqual(refusal(part("clusters/z.yaml:1:1 nope")));
    expect(statSync(join(scratch.folder, "dist")).mtimeMs).toBe(before);
  });
});
