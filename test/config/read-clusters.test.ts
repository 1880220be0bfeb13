import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { formatProblem } from "../../src/config/located-problem";
import { forEachCluster, type NamedCluster, readCluster } from "../../src/config/read-clusters";
import { emptyFolder, putFile, temporaryFolder } from "../temporary-folder";

const folder = emptyFolder("clusters");

const put = (file: string, text: string) => putFile(folder, file, text);

/** Each a whole cluster file, a folder/, or a link -> to another. */
function write(...entries: string[]): void {
  for (const entry of entries) {
    const [path = "", to] = entry.split(" -> ");
    if (to !== undefined) symlinkSync(to, join(folder, path));
    else if (path.endsWith("/")) mkdirSync(join(folder, path), { recursive: true });
    else put(path, "clusterDNS: [10.96.0.10]\nkubeProxyMode: iptables\n");
  }
}

function readClusters(of: string, names: readonly string[] = []) {
  const clusters: NamedCluster[] = [];
  const problems = forEachCluster(of, names, (named) => clusters.push(named));
  return { clusters, problems };
}

function read(names: string[] = []) {
  const { clusters, problems } = readClusters(folder, names);
  const told = problems.map((problem) => formatProblem(problem).replaceAll(folder, "DIR"));
  return { names: clusters.map(({ name }) => name), problems: told };
}

describe("a folder of cluster files", () => {
  it.each<[what: string, entries: string[], names: string[]]>([
    ["has one cluster per file, by its name, in order", ["p-eu.yaml", "dev.yml", "a1.yaml"], ["a1", "dev", "p-eu"]],
    ["may contain other things", ["dev.yaml", "schema.json", "README.md", ".yamllint.yaml", "old/"], ["dev"]],
    ["may contain links to files", ["dev.yaml", "test.yaml -> dev.yaml"], ["dev", "test"]],
    ["may hold folders, whose clusters are named without", ["a.yaml", "eu/b.yaml", ".git/index.yaml"], ["a", "b"]],
  ])("%s", (_, entries, names) => {
    write(...entries);
    expect(read()).toEqual({ names, problems: [] });
    expect(read(names.slice(-1)).names).toEqual(names.slice(-1));
  });

  it.each([
    ["to folders, whose clusters it would pass", ".shared", "to a folder, and not followed; move the folder here"],
    ["that lead nowhere, as to a folder that is not there today", "../absent", "that leads nowhere; mend or delete it"],
  ])("is refused with links %s", (_, to, problem) => {
    write("dev.yaml", ".shared/", `eu -> ${to}`);
    expect(read().problems).toEqual([`DIR/eu: is a link ${problem}`]);
  });

  it("may have names that editors know by SchemaStore", () => {
    write("prod.cluster-dns.yaml");
    put("_defaults.cluster-dns.yaml", "labels: {team: dns}\n");
    expect(read()).toEqual({ names: ["prod"], problems: [] });
    write("prod.yaml");
    expect(read().problems).toEqual([expect.stringContaining('cluster "prod" is also in')]);
  });

  it("is read only for the given clusters, whatever is wrong with others", () => {
    write("dev.yaml");
    put("prod.yaml", "");
    expect(read(["dev"])).toEqual({ names: ["dev"], problems: [] });
  });

  it("reports the problems of every file at once", () => {
    write("good.yaml");
    put("a.yaml", "");
    put("b.yaml", "- x\n");
    expect(read().problems.map((problem) => problem.split(":")[0])).toEqual(["DIR/a.yaml", "DIR/b.yaml"]);
  });
});

describe("defaults files", () => {
  const shared = "kubeProxyMode: iptables\nlabels: {team: net, tier: a}\n";

  it("hold what the clusters of their folder share; the nearest file wins, key by key, and lists as a whole", () => {
    put("_defaults.yaml", `${shared}imageRegistry: registry.example\nclusterDNS: [10.96.0.10, fd00::a]\n`);
    put("eu/_defaults.yaml", "clusterDNS: [10.96.0.10]\nlabels: {tier: b}\n");
    put("eu/prod.yaml", "labels: {region: eu}\n");
    put("dev.yaml", "clusterDNS: [10.97.0.10]\nlabels: {team: dev}\n");
    const { clusters, problems } = readClusters(folder);
    expect(problems).toEqual([]);
    expect(clusters.map(({ cluster: { said } }) => ({ clusterDNS: said.clusterDNS, labels: said.labels }))).toEqual([
      { clusterDNS: ["10.97.0.10"], labels: { team: "dev", tier: "a" } },
      { clusterDNS: ["10.96.0.10"], labels: { team: "net", tier: "b", region: "eu" } },
    ]);
  });

  it("are named for their own mistakes, once for all clusters", () => {
    put("_defaults.yaml", `${shared}clusterDomain: -x\n`);
    put("dev.yaml", "clusterDNS: [10.96.0.10]\n");
    put("eu/_defaults.yaml", "nodeResolver: {interval: 1}\n");
    put("eu/prod.yaml", "clusterDNS: [nowhere]\n");
    put("eu/test.yaml", "clusterDNS: [10.96.0.10]\nnodeResolver: {}\n");
    expect(read().problems.map((problem) => problem.split(": ", 1)[0])).toEqual([
      "DIR/_defaults.yaml:3:16 clusterDomain",
      "DIR/eu/_defaults.yaml:1:1 nodeResolver.services",
      "DIR/eu/_defaults.yaml:1:26 nodeResolver.interval",
      "DIR/eu/prod.yaml:1:14 clusterDNS[0]",
      "DIR/eu/test.yaml:2:1 nodeResolver.services",
    ]);
  });

  it.each([
    ["agentImage:registry.example/agent:1\n", /1:1 "agentImage:registry.example\/agent:1" is a string/],
    ["- agentImage: registry.example/agent:1\n", /1:1 .* is a list; accepted: a mapping/],
    ["labels: [team]\n", /1:9 labels: .* is a list; accepted: a mapping/],
    ["authoritativeDNS: 3\n", /1:19 authoritativeDNS: 3 is a number; accepted: a mapping/],
  ])("are not dropped for a mapping of a nearer file: %j", (text, message) => {
    put("_defaults.yaml", text);
    put("dev.yaml", "clusterDNS: [10.96.0.10]\nkubeProxyMode: none\nlabels: {a: b}\nauthoritativeDNS: {replicas: 2}\n");
    expect(read().problems).toEqual([expect.stringMatching(message)]);
  });

  it("may have the short form of what a nearer file spells out", () => {
    const cache = (serveStale: string) => `nodeLocalDNS: {cache: {serveStale: ${serveStale}}}\n`;
    put("_defaults.yaml", `${shared}agentImage: registry.example/agent:1\nsmokeTest: true\n${cache("1h")}`);
    put("dev.yaml", `clusterDNS: [10.96.0.10]\nsmokeTest: {timeout: 2m}\n${cache("{duration: 2h}")}`);
    expect(read()).toEqual({ names: ["dev"], problems: [] });
  });

  it.each([
    ["_defaults.yaml", "eu"],
    ["_Defaults.YML", "eu/west"],
  ])("%s is not silently ignored when %s is given", (file, below) => {
    put(file, shared);
    write(`${below}/prod.yaml`);
    expect(readClusters(join(folder, below)).problems.map(formatProblem)).toEqual([
      expect.stringMatching(new RegExp(`${file}: also holds defaults for .*/${below}; use its folder`)),
    ]);
  });

  it("are found above the folder that a link leads to", () => {
    put("_defaults.yaml", shared);
    write("eu/west/dev.yaml");
    const link = temporaryFolder("elsewhere", onTestFinished);
    symlinkSync(join(folder, "eu"), join(link, "clusters"));
    const { problems } = readClusters(join(link, "clusters"));
    expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining("also holds defaults for")]);
  });

  it("do not apply to another repository", () => {
    put("_defaults.yaml", shared);
    put("eu/.git", "gitdir: elsewhere\n");
    write("eu/west/dev.yaml");
    expect(readClusters(join(folder, "eu/west")).problems).toEqual([]);
  });

  it("are checked where no cluster has them yet", () => {
    write("dev.yaml");
    put("eu/_defaults.yaml", "kubeProxyMod: ipvs\nauthoritativeDNS: {replica: 2}\n");
    put("us/_defaults.yaml", "# later\n");
    put("asia/_defaults.yaml", "kubeProxyMode: ipvs\n");
    expect(read().problems).toEqual([
      "DIR/eu/_defaults.yaml:1:1 kubeProxyMod: unknown key; did you mean kubeProxyMode?",
      "DIR/eu/_defaults.yaml:2:20 authoritativeDNS.replica: unknown key; did you mean replicas?",
    ]);
    expect(read(["dev"])).toEqual({ names: ["dev"], problems: [] });
  });

  it("are in one file", () => {
    put("_defaults.yaml", shared);
    put("_defaults.yml", shared);
    write("dev.yaml");
    expect(read().problems).toEqual(["DIR/_defaults.yml: holds defaults beside DIR/_defaults.yaml; keep one of them"]);
  });

  it.each<[what: string, content: string | Uint8Array, problem?: string]>([
    ["may have nothing but comments", "# later\n"],
    ["are not taken for empty when they cannot be read", Uint8Array.of(0xff), " is not valid UTF-8; save it as UTF-8"],
    ["are not pointed to themselves", "labels:\n  <<: {a: b}\n", "2:3 is a merge key, which YAML 1.2 does not"],
    ["that cannot be read suppress other reports about their clusters", "a: [\n", "2:1 is not valid YAML here"],
  ])("%s", (_, content, problem) => {
    putFile(folder, "_defaults.yaml", content);
    write("dev.yaml", "test.yaml");
    const refused = { names: [], problems: [expect.stringContaining(`DIR/_defaults.yaml:${problem}`)] };
    expect(read()).toEqual(problem === undefined ? { names: ["dev", "test"], problems: [] } : refused);
  });
});

describe("refused", () => {
  const misnamed = "a file's name is its cluster's: at most 63 lower-case letters";
  const names = ["Prod", "prod_eu", "prod.eu", "-prod", "a".repeat(64), "con", "lpt1"];
  it.each<[what: string, files: string[], problem: string]>([
    ["two files of one", ["prod.yaml", "prod.yml"], 'DIR/prod.yml: cluster "prod" is also in DIR/prod.yaml; keep one'],
    ...names.map((name): [string, string[], string] => [`${name}, no folder everywhere`, [`${name}.yaml`], misnamed]),
    ["a defaults file by another name", ["_default.yaml"], "; rename it; what clusters share is in _defaults.yaml"],
    ["one without its underscore", ["defaults.yaml"], "; rename it; what clusters share is in _defaults.yaml"],
    ["no cluster file", [], "DIR: has no cluster file (NAME.yaml); `npx cdk8s-cluster-dns init NAME` writes one"],
  ])("%s", (_, files, problem) => {
    write(...files);
    expect(read().problems).toEqual([expect.stringContaining(problem)]);
  });

  it.each([
    ["a folder that does not exist", "none", "ENOENT", "run it in the root of your repository, or begin with `npx cdk"],
    ["a file in place of its folder", "prod.yaml", "ENOTDIR", "name its folder, and after the command its"],
  ])("%s", (_, path, code, advice) => {
    write("prod.yaml");
    const message = `${folder}/${path}: cannot be read as a folder of cluster files (${code}); ${advice}`;
    const { problems } = readClusters(join(folder, path));
    expect(problems.map(formatProblem)).toEqual([expect.stringContaining(message)]);
  });

  it("a cluster that has no file, with a suggestion", () => {
    write("prod-eu.yaml", "dev.yaml");
    expect(read(["prod-ue", "clusters/prod-eu.yaml", "x"]).problems).toEqual([
      'DIR: has no cluster "prod-ue"; did you mean prod-eu?',
      'DIR: has no cluster "clusters/prod-eu.yaml"; did you mean prod-eu?',
      'DIR: has no cluster "x"; it has dev, prod-eu',
    ]);
  });

  it("anything that is not a file", () => {
    write("dev.yaml -> /dev/null", "prod.yaml -> nowhere");
    expect(read().problems).toEqual(["DIR/dev.yaml: is not a file", "DIR/prod.yaml: cannot be read (ENOENT)"]);
  });
});

it("asks which of several clusters is meant, whatever is wrong with others", () => {
  write("dev.yaml", "prod.yaml");
  put("new.yaml", "clusterDNS: [10.96.0.10]\n");
  const message = "has 3 clusters; name the one to look at: dev, new, prod";
  expect(readCluster(folder, undefined, "to look at")).toEqual({ problems: [{ file: folder, message }] });
});
