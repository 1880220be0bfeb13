import { renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { part, refusal, success, Scratch } from "./scratch";

const good = "clusterDNS: [10.96.0.10]\nkubeProxyMode: iptables\n";
const synthesized = new Scratch();
const scratch = Scratch.forEach(synthesized);
beforeAll(() => {
  for (const name of ["dev", "old"]) synthesized.write(`clusters/${name}.yaml`, good);
  synthesized.run("synth");
});

it("reports that nothing changes", () => {
  expect(scratch.run("diff")).toEqual(success("nothing changes\n"));
});

it("shows changes and effects, and writes nothing", () => {
  scratch.write("clusters/dev.yaml", `${good.replace("0.10", "0.11")}authoritativeDNS: {ttl: 7}\n`);
  rmSync(join(scratch.folder, "clusters/old.yaml"));
  const before = scratch.snapshot("dist");
  const { exitCode, stdout, stderr } = scratch.run("diff");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toMatch(
    /^ {2}new ConfigMap kube-system\/coredns-\w{10}: replaces coredns-\w{10}\n {6}data\.Corefile:\n {6}- +ttl 30\n {6}\+ +ttl 7$/m,
  );
  expect(stdout).toContain("  changed Deployment kube-system/coredns: replaces its pods, 2 of them\n");
  expect(stdout).toContain("BY HAND: changed Service kube-system/kube-dns: spec.clusterIP, spec.clusterIPs[0]");
  expect(stdout).toContain(
    "  BY HAND: reconfigure the kubelets after the commit, with a file of dist/dev/kubelet (docs/modes.md of cdk8s-cluster-dns, Kubelets)\n      - clusterDNS[0]: 10.96.0.10\n      + clusterDNS[0]: 10.96.0.11\n",
  );
  expect(stdout).toMatch(
    /^old: .*\n {2}WARNING: no cluster file describes old any more: .*\n {2}WARNING: this renders no CoreDNS\. .*\n {2}deleted ClusterRole system:coredns$/m,
  );
  expect(scratch.snapshot("dist")).toEqual(before);
  expect(scratch.run("diff", "old").stderr).toContain('has no cluster "old"');
});

it("says what is left of the last clusters, and deletes nothing: it may be the wrong folder", () => {
  const before = scratch.snapshot("dist");
  const left = "dist: still has dev, old, which no cluster file describes; restore the files (git checkout) or, ";
  for (const gone of ["dev.yaml", "old.yaml"]) rmSync(join(scratch.folder, "clusters", gone));
  expect(scratch.run("diff")).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(`\n${left}`) });
  // Git removes an empty folder.
  rmSync(join(scratch.folder, "clusters"), { recursive: true });
  expect(scratch.run("synth").stderr).toContain(`\n${left}`);
  expect(scratch.run("diff", "dev").stderr).not.toContain(left);
  expect(scratch.snapshot("dist")).toEqual(before);
});

it.each([
  [
    "gitops: {flux: {}}",
    /^dev: .*\n {2}WARNING: no cluster file describes dev any more: Flux no longer finds its folder, and prunes nothing; restore .*\n[^]* {2}deleted ClusterRole system:coredns: stays in the cluster, as Flux no longer/,
  ],
  ["authoritativeDNS: {kind: Existing}", /dev any more: where this is pruned, it has no node cache;/],
])("says what becomes of a cluster without its file: %s", (more, told) => {
  scratch.write("clusters/dev.yaml", `${good}${more}\n`);
  scratch.run("synth");
  rmSync(join(scratch.folder, "clusters/dev.yaml"));
  expect(scratch.run("diff").stdout).toMatch(told);
});

it("has the old steps of a renamed cluster before the new ones", () => {
  scratch.write("clusters/dev.yaml", `${good}gitops: {flux: {}}\n`);
  scratch.run("synth");
  renameSync(join(scratch.folder, "clusters/dev.yaml"), join(scratch.folder, "clusters/a.yaml"));
  const { stdout } = scratch.run("diff");
  expect(stdout).toMatch(
    /^dev: .*\n[^]* {2}BY HAND: deleted Kustomization flux-system\/cluster-dns\n[^]*^a: .*\n[^]* {2}BY HAND: new Kustomization flux-system\/cluster-dns\n/m,
  );
  // Those of a new cluster need nothing.
  expect(stdout.slice(stdout.indexOf("\na: "))).not.toContain("kubelets");
  renameSync(join(scratch.folder, "clusters/a.yaml"), join(scratch.folder, "clusters/dev.yaml"));
});

it("names what the controller will read, also if it compares with another commit's output", () => {
  const gitops = `${good}gitops: {argocd: {repoURL: "https://git.example/fleet", folder: manifests}}\n`;
  scratch.write("clusters/dev.yaml", gitops);
  scratch.run("synth", "--out", "before/dist");
  scratch.write("clusters/dev.yaml", `${gitops}monitoring: {namespace: mon}\n`);
  expect(scratch.run("diff", "--out", "before/dist").stdout).toContain(
    "apply it before the commit:\n        kubectl apply --server-side -f manifests/dev/gitops/argocd/appproject-cluster-dns-dev.yaml\n",
  );
});

it.each([
  ["another commit's output", ["--out", "before/dist"], "", "dist"],
  ["a copy beside it", ["--out", "before"], "", "dist"],
  ["an output folder of its own", ["--out", "build/out"], "", "build/out"],
  ["another commit's output, for an artifact", ["--out", "before/dist"], "gitops: {flux: {folder: .}}\n", "dist"],
])("names what lies in the repository, comparing with %s", (_, args, gitops, folder) => {
  if (folder !== "dist") rmSync(join(scratch.folder, "dist"), { recursive: true });
  scratch.write("clusters/dev.yaml", `${good}${gitops}`);
  scratch.run("synth", ...args);
  scratch.write("clusters/dev.yaml", `${good}clusterDomain: k8s.x\n${gitops}`);
  const { stdout } = scratch.run("diff", ...args, "--format", "json", "dev");
  expect(JSON.parse(stdout)).toMatchObject({ result: { clusters: [{ kubeletFolder: `${folder}/dev/kubelet` }] } });
});

it("compares with another commit's output where folders have moved since, and names the new one", () => {
  scratch.run("synth", "--out", "before/dist");
  rmSync(join(scratch.folder, "dist"), { recursive: true });
  renameSync(join(scratch.folder, "clusters"), join(scratch.folder, "dns"));
  scratch.write("dns/dev.yaml", `${good}clusterDomain: k8s.x\n`);
  rmSync(join(scratch.folder, "dns/old.yaml"));
  scratch.run("synth", "--clusters", "dns", "--out", "manifests");
  const { exitCode, stdout } = scratch.run("diff", "--clusters", "dns", "--out", "before/dist");
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^old: .*\n {2}WARNING: no cluster file describes old any more: /);
  expect(stdout).toContain("deleted ConfigMap kube-system/coredns-");
  expect(stdout).toContain("with a file of manifests/dev/kubelet ");
  // Where synth writes, it refuses.
  renameSync(join(scratch.folder, "dns"), join(scratch.folder, "clusters"));
  expect(scratch.run("diff", "--out", "manifests").stderr).toContain("manifests/dev was generated from dns/dev.yaml");
});

it("is Markdown for a pull request", () => {
  scratch.write("clusters/dev.yaml", `${good}authoritativeDNS: {replicas: 3}\n`);
  expect(scratch.run("diff", "--format", "markdown").stdout).toBe(`### dev: 1 changed

- changed Deployment kube-system/coredns

<details><summary>Differences</summary>

\`\`\`diff
# Deployment kube-system/coredns
- spec.replicas: 2
+ spec.replicas: 3
\`\`\`

</details>
`);
  for (const path of ["clusters", "dist"]) rmSync(join(scratch.folder, path), { recursive: true });
  scratch.write("clusters/dev.yaml", good);
  const { stdout } = scratch.run("diff", "--format", "markdown");
  expect(stdout).toMatch(/^### dev: \d+ new\n\n- new /);
  expect(stdout).not.toContain("Differences");
});

it.each(["1,", ",", "0,", ",1"])("has colours only if forced, with FORCE_COLOR,NO_COLOR=%s", (set) => {
  const [FORCE_COLOR = "", NO_COLOR = ""] = set.split(",");
  const isColoured = FORCE_COLOR === "1";
  scratch.write("clusters/dev.yaml", `${good}authoritativeDNS: {replicas: 3}\nannotations: {note: "\\e[31m"}\n`);
  const { stdout } = scratch.runWith({ environment: { FORCE_COLOR, NO_COLOR } }, "diff");
  expect(stdout).toContain(isColoured ? "\x1b[32m      + spec.replicas: 3\x1b[39m\n" : "\n      + spec.replicas: 3");
  // A text has none of its own.
  expect(stdout).not.toContain("\u001B[31m\n");
});

it("keeps a value of several lines on one", () => {
  scratch.write("clusters/dev.yaml", `${good}annotations: {note: "one\\n\`\`\`\\n### prod"}\n`);
  const { stdout } = scratch.run("diff", "--format", "markdown");
  expect(stdout).toContain('metadata.annotations.note: "one\\n```\\n### prod"\n');
  expect(stdout.match(/^```/gm)).toHaveLength(2);
});

it("says the same of a folder that an earlier version wrote, without a record, as of its objects", () => {
  const cached = `${good.replace("iptables", "ipvs")}agentImage: registry.example/agent:1\n`;
  scratch.write("clusters/dev.yaml", cached);
  scratch.run("synth");
  scratch.write("clusters/dev.yaml", `${good}nodeLocalDNS: {state: disabled}\nclusterDomain: k8s.x\n`);
  const { stdout } = scratch.run("diff");
  expect(stdout).toMatch(/WARNING: this leaves link-local[^]*WARNING: the cluster domain changes/);
  const record = "dist/dev/cluster-dns.record";
  const text = scratch.read(record);
  for (const broken of [text.replace('"kubeProxyMode": "ipvs"', '"kubeProxyMode": "ebpf"'), "{", undefined]) {
    if (broken === undefined) rmSync(join(scratch.folder, record));
    else scratch.write(record, broken);
    expect(scratch.run("diff").stdout).toBe(stdout);
  }
  expect(scratch.run("synth").exitCode).toBe(0);
  expect(scratch.read(record)).toContain('"clusterDomain": "k8s.x"');
});

it("compares descriptions, not what objects seem to say", () => {
  const cached = `${good.replace("iptables", "ipvs")}agentImage: registry.example/agent:1\n`;
  scratch.write("clusters/dev.yaml", cached);
  scratch.run("synth");
  const record = "dist/dev/cluster-dns.record";
  scratch.write(record, scratch.read(record).replace("10.96.0.10", "10.96.0.53"));
  expect(scratch.run("diff").stdout).toBe("nothing changes\n");
  scratch.write("clusters/dev.yaml", `${cached}authoritativeDNS: {ttl: 7}\n`);
  expect(scratch.run("diff").stdout).toContain("WARNING: Service kube-dns leaves 10.96.0.53");
});

it("says so if it cannot compare a file, because it holds a merge conflict", () => {
  const files = ["dist/dev/authoritative-dns/deployment-coredns.yaml", "dist/dev/kubelet/50-cluster-dns.conf"];
  const [header = ""] = scratch.read(files[0] ?? "").split("\n");
  // What kubelets were told, the record says as well.
  const told = `${files[0]} is not the object that it was; restore it (git checkout), or what it changes is not shown\n`;
  for (const conflict of [
    "HEADER\n<<<<<<< ours\n=======\n>>>>>>> theirs\n",
    "<<<<<<< ours\nHEADER\n=======\nHEADER\n",
    `<<<<<<< ours\nHEADER\n${"#\n".repeat(5000)}=======\nHEADER\n`,
  ]) {
    for (const file of files) scratch.write(file, conflict.replaceAll("HEADER", header));
    expect(scratch.run("diff")).toEqual(refusal(told));
    expect(scratch.run("synth").exitCode).toBe(0);
  }
});

it("refuses what synth refuses in the place of a file", () => {
  const file = "dist/dev/authoritative-dns/deployment-coredns.yaml";
  // Of a cluster that has no record yet.
  rmSync(join(scratch.folder, "dist/dev/cluster-dns.record"));
  scratch.write(file, "# mine\n");
  const refused = scratch.run("diff");
  expect(refused).toEqual(refusal(part(`${file} is in the way: `)));
  expect(refused).toEqual(scratch.run("synth"));
  rmSync(join(scratch.folder, file));
  symlinkSync("service-kube-dns.yaml", join(scratch.folder, file));
  expect(scratch.run("diff").stderr).toBe(`${file} is in the way: it is a symbolic link; move it elsewhere\n`);
  rmSync(join(scratch.folder, file));
});
