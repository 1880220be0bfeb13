import { chmodSync, mkdirSync, symlinkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Scratch } from "./scratch";

const good = "clusterDNS: [10.96.0.10]\nkubeProxyMode: iptables\n";

let scratch: Scratch;

describe("cluster-dns synth", () => {
  beforeEach(() => {
    scratch = new Scratch();
    scratch.write("clusters/prod.yaml", `${good}agentImage: registry.example/agent:1\n`);
    scratch.write("clusters/dev.yaml", good);
  });
  afterEach(() => scratch.remove());

  it("renders every cluster file into a folder of its own, and says so", () => {
    const { exitCode, stdout, stderr } = scratch.run("synth");
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(/^dist: 2 clusters; files: \d+ new, 0 changed, 0 deleted, 0 unchanged$/m);
    expect(Object.keys(scratch.snapshot("dist"))).toEqual(
      expect.arrayContaining([
        "dev/kustomization.yaml",
        "dev/authoritative-dns/service-kube-dns.yaml",
        "prod/kubelet/50-cluster-dns.conf",
      ]),
    );
  });

  it("tells what a user may not expect, and renders", () => {
    expect(scratch.run("synth", "dev").stdout).toContain(
      "clusters/dev.yaml: no node cache: kubeProxyMode iptables needs agentImage",
    );
  });

  it("touches nothing the second time", () => {
    scratch.run("synth");
    const before = scratch.snapshot("dist");
    expect(scratch.run("synth").stdout).toContain("files: 0 new, 0 changed, 0 deleted, ");
    expect(scratch.snapshot("dist")).toEqual(before);
  });

  it("writes the same bytes wherever it runs, and in whatever locale", () => {
    scratch.run("synth");
    const elsewhere = ["LC_ALL", "LANG", "TZ"].map((name) => [name, process.env[name]] as const);
    Object.assign(process.env, { LC_ALL: "tr_TR.UTF-8", LANG: "tr_TR.UTF-8", TZ: "Asia/Kathmandu" });
    try {
      expect(scratch.run("synth").stdout).toContain("files: 0 new, 0 changed, 0 deleted, ");
    } finally {
      for (const [name, value] of elsewhere) {
        if (value === undefined) delete process.env[name];
        else process.env[name] = value;
      }
    }
  });

  it("removes the files of a cluster that is gone, but only when it renders all", () => {
    scratch.run("synth");
    unlinkSync(join(scratch.folder, "clusters/dev.yaml"));
    scratch.run("synth", "prod");
    expect(Object.keys(scratch.snapshot("dist"))).toContain("dev");
    scratch.run("synth");
    expect(Object.keys(scratch.snapshot("dist"))).not.toContain("dev");
  });

  it("takes other folders, and a cluster by its name", () => {
    scratch.write("elsewhere/test.yml", good);
    expect(scratch.run("synth", "--clusters", "elsewhere", "--out=out/put", "test").exitCode).toBe(0);
    expect(Object.keys(scratch.snapshot("out/put"))).toContain("test/kustomization.yaml");
  });
});

describe("bad input: every error at once, exit code 1, dist/ as it was", () => {
  let before: { [path: string]: string };
  beforeAll(() => {
    scratch = new Scratch();
    scratch.write("clusters/prod.yaml", good);
    scratch.run("synth");
    before = scratch.snapshot("dist");
  });
  afterAll(() => scratch.remove());

  function expectRefused(...args: string[]): string {
    const { exitCode, stdout, stderr } = scratch.run("synth", ...args);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: "" });
    expect(stderr).not.toMatch(/^\s+at |this should not happen/m);
    expect(scratch.snapshot("dist")).toEqual(before);
    return stderr;
  }

  const link = `${good}agentImage: registry.example/agent:1\n`;
  const noProxy = "clusterDNS: [10.96.0.10]\nkubeProxyMode: none\n";
  it.each<[string, string, RegExp]>([
    [
      "an unknown key",
      `${good}clusterDomian: x.y\n`,
      /^clusters\/prod\.yaml:3:1 clusterDomian: unknown key; did you mean clusterDomain\?/,
    ],
    [
      "a word that is not accepted",
      "clusterDNS: [10.96.0.10]\n\n\nkubeProxyMode: ipv\n",
      /:4:16 kubeProxyMode: "ipv" is not one of iptables, nftables, ipvs, none; did you mean ipvs\?/,
    ],
    [
      "a wrong type",
      `${good}authoritativeDNS: {replicas: two}\n`,
      /:3:30 authoritativeDNS\.replicas: "two" is a string; accepted: a whole number/,
    ],
    ["something that is missing", "kubeProxyMode: ipvs\n", /:1:1 clusterDNS: is required and missing/],
    ["a bad address", "clusterDNS: [10.96.0.300]\nkubeProxyMode: iptables\n", /:1:14 clusterDNS\[0\]: /],
    [
      "an IPv6 address where IPv4 is needed",
      `${link}nodeLocalDNS: {linkLocalAddresses: ["fd00::1"]}\n`,
      /:4:37 nodeLocalDNS\.linkLocalAddresses\[0\]: /,
    ],
    [
      "clusterDNS outside of the service CIDR",
      `${good}serviceCIDRs: [10.97.0.0/16]\n`,
      /:1:14 clusterDNS\[0\]: .*10\.97\.0\.0\/16/,
    ],
    ["two addresses of one family", "clusterDNS: [10.96.0.10, 10.96.0.11]\nkubeProxyMode: iptables\n", /clusterDNS/],
    [
      "a link-local address that is in use",
      `${link}nodeLocalDNS: {linkLocalAddresses: [10.96.0.10]}\n`,
      /:4:37 nodeLocalDNS\.linkLocalAddresses\[0\]: /,
    ],
    [
      "service-ip under ipvs",
      "clusterDNS: [10.96.0.10]\nkubeProxyMode: ipvs\nnodeLocalDNS: {interception: service-ip}\n",
      /:3:30 nodeLocalDNS\.interception: .*ipvs/,
    ],
    [
      "local-redirect with kube-proxy",
      `${link}nodeLocalDNS: {interception: local-redirect}\n`,
      /:4:30 nodeLocalDNS\.interception: /,
    ],
    ["a node cache without anybody who handles Services", `${noProxy}nodeLocalDNS: {state: enabled}\n`, /:3:/],
    ["a label that is none", `${good}labels: {"a b": c}\n`, /:3:\d+ labels\.a b: /],
    [
      "a toleration that is none",
      `${good}authoritativeDNS: {nodePlacement: {tolerations: [{operator: Equal}]}}\n`,
      /:3:\d+ authoritativeDNS\.nodePlacement\.tolerations\[0\]/,
    ],
    [
      "a quantity that is none",
      `${good}authoritativeDNS: {resources: {requests: {cpu: 1 core}}}\n`,
      /:3:48 authoritativeDNS\.resources\.requests\.cpu: /,
    ],
    [
      "a zone that is none",
      `${good}stubDomains: {"corp..example": [10.1.2.3]}\n`,
      /:3:\d+ stubDomains\.corp\.\.example: /,
    ],
    ["an upstream that is ourselves", `${good}upstreamNameservers: [10.96.0.10]\n`, /:3:23 upstreamNameservers\[0\]: /],
    [
      "more than 15 upstreams",
      `${good}upstreamNameservers: [${Array.from({ length: 16 }, (_, i) => `10.1.0.${i + 1}`).join(", ")}]\n`,
      /:3:22 upstreamNameservers: has 16 entries; at most 15/,
    ],
    [
      "a version that is a number",
      `${good}kubernetesVersion: 1.30\n`,
      /:3:20 kubernetesVersion: 1\.30 is a number; accepted: a string; put it in quotes: "1\.30"/,
    ],
    [
      "a feature that the version does not have",
      `${good}kubernetesVersion: "1.28"\ntrafficDistribution: PreferClose\n`,
      /:4:22 trafficDistribution: .*1\.31/,
    ],
    ["a key that is there twice", `${good}kubeProxyMode: ipvs\n`, /:3:1 this key is there twice/],
    ["a tab", "clusterDNS:\n\t- 10.96.0.10\n", /:2:1 a tab/],
    ["what is not YAML", "clusterDNS: [10.96.0.10\nkubeProxyMode: ipvs\n", /:2:1 is not valid YAML here/],
    ["nothing", "", /:1:1 is empty/],
  ])("%s", (_, contents, message) => {
    scratch.write("clusters/prod.yaml", contents);
    expect(expectRefused()).toMatch(message);
  });

  it("of several files", () => {
    scratch.write("clusters/a.yaml", "");
    scratch.write("clusters/b.yaml", "kubeProxyMode: ipv\n");
    scratch.write("clusters/prod.yaml", good);
    expect(
      expectRefused()
        .trimEnd()
        .split("\n")
        .map((line) => line.split(" ")[0]),
    ).toEqual(["clusters/a.yaml:1:1", "clusters/b.yaml:1:1", "clusters/b.yaml:1:16"]);
    for (const name of ["a", "b"]) unlinkSync(join(scratch.folder, `clusters/${name}.yaml`));
  });

  it("a cluster in two files", () => {
    scratch.write("clusters/prod.yml", good);
    expect(expectRefused()).toBe('clusters/prod.yml: cluster "prod" is also in clusters/prod.yaml; keep one of them\n');
    unlinkSync(join(scratch.folder, "clusters/prod.yml"));
  });

  it("a folder with no cluster file", () => {
    mkdirSync(join(scratch.folder, "empty"));
    expect(expectRefused("--clusters", "empty")).toContain("empty: holds no cluster file (NAME.yaml)");
  });

  it("a cluster that is not there", () => {
    scratch.write("clusters/prod.yaml", good);
    expect(expectRefused("prd")).toBe('clusters: holds no cluster "prd"; did you mean prod?\n');
  });

  it("a file in dist/ that is not ours where one of ours belongs", () => {
    scratch.write("clusters/prod.yaml", good);
    scratch.write("dist/prod/kubelet/50-cluster-dns.conf", "mine\n");
    before = scratch.snapshot("dist");
    expect(expectRefused()).toContain("dist/prod/kubelet/50-cluster-dns.conf is in the way: it was not generated");
  });

  it("a link in dist/ that leads elsewhere", () => {
    mkdirSync(join(scratch.folder, "elsewhere"));
    symlinkSync("../elsewhere", join(scratch.folder, "dist/dev"));
    scratch.write("clusters/dev.yaml", good);
    before = scratch.snapshot("dist");
    expect(expectRefused("dev")).toContain("dist/dev is in the way: it is a symbolic link");
  });
});

it("a read-only dist/ is told, and stays as it was", () => {
  scratch = new Scratch();
  try {
    chmodSync(scratch.folder, 0o755);
    scratch.write("clusters/prod.yaml", good);
    scratch.run("synth");
    const before = scratch.snapshot("dist");
    scratch.write("clusters/prod.yaml", `${good}clusterDomain: other.local\n`);
    chmodSync(join(scratch.folder, "dist/prod/authoritative-dns"), 0o555);
    chmodSync(join(scratch.folder, "dist/prod/kubelet"), 0o555);

    const { exitCode, stderr } = scratch.runAsNobody("synth");
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringContaining("dist/prod/authoritative-dns cannot be written to (EACCES)\n"),
    });
    expect(scratch.snapshot("dist")).toEqual(before);
  } finally {
    for (const folder of ["authoritative-dns", "kubelet"]) chmodSync(join(scratch.folder, "dist/prod", folder), 0o755);
    scratch.remove();
  }
});
