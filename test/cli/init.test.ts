import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { describe, expect, it } from "vitest";
import { part, refusal, success, Scratch } from "./scratch";

const scratch = Scratch.forEach();

/** With these objects as input. */
const initOf = (items: readonly object[], name = "prod", ...more: readonly string[]) =>
  scratch.runWith({ input: JSON.stringify({ items }) }, "init", name, ...more, "--from", "-");
const service = { kind: "Service", metadata: { name: "kube-dns" }, spec: { clusterIPs: ["10.97.0.10"] } };

describe("cluster-dns init", () => {
  it("writes a cluster file that renders as it is", () => {
    expect(scratch.run("init", "prod-eu")).toEqual(
      success(
        "wrote clusters/prod-eu.yaml: check its values against your cluster, then run npx cdk8s-cluster-dns synth\n",
      ),
    );
    expect(scratch.run("synth")).toMatchObject({ exitCode: 0, stderr: "" });
  });

  it.each([
    ["kubeProxyMode: nftables\n", ["clusterDNS"]],
    ["clusterDNS: [10.96.0.10]\nkubeProxyMode: nftables\n", []],
    ["# nothing yet\n", ["clusterDNS", "kubeProxyMode"]],
  ])("leaves out what the fleet's defaults say, which it would overrule: %j", (defaults, keys) => {
    scratch.write("clusters/_Defaults.YAML", defaults);
    scratch.run("init", "prod-eu");
    expect(Object.keys(parse(scratch.read("clusters/prod-eu.yaml")) as object)).toEqual(keys);
    expect(scratch.run("synth")).toMatchObject({ exitCode: 0, stderr: "" });
  });

  it("reads the objects of a cluster, and lists what it could not use", () => {
    const data = { Corefile: ".:53 {\n  log\n  cache 30\n  forward . 8.8.8.8\n}\n" };
    expect(initOf([service, { kind: "ConfigMap", metadata: { name: "coredns" }, data }])).toEqual({
      exitCode: 0,
      stdout: `wrote clusters/prod.yaml: check its values against your cluster, then run npx cdk8s-cluster-dns synth
to be corrected in it:
  kubeProxyMode: no ConfigMap kube-proxy is among the objects, nor Cilium's in its place: set it; on a node, \`curl -s localhost:10249/proxyMode\` tells
new with it:
  a node cache
left out: the cluster has it, and will not have it with this file:
  ConfigMap coredns: no kubernetes for these names; ours answers those of the cluster (in-addr.arpa, ip6.arpa)
`,
      stderr: "",
    });
    const text = scratch.read("clusters/prod.yaml");
    expect(text).toContain("\nclusterDNS:\n  - 10.97.0.10\n");
    expect(text).toContain("\n# kubeProxyMode: iptables\n");
    expect(text).toContain("\nauthoritativeDNS:\n  corefile:\n    otherNames: |\n      log\n");
  });

  it("compares the cluster with what the fleet's defaults give it", () => {
    scratch.write(
      "clusters/_defaults.yaml",
      "clusterDNS: [10.97.0.10]\nclusterDomain: corp.example\nresolvConf: /etc//x\nnodeLocalDNS: {state: disabled}\n",
    );
    const labels = { "app.kubernetes.io/managed-by": "cdk8s-cluster-dns" };
    const items = [
      service,
      { kind: "ConfigMap", metadata: { name: "kube-proxy" }, data: { config: "kind: KubeProxyConfiguration\n" } },
      { kind: "DaemonSet", metadata: { name: "node-resolver", labels } },
    ];
    expect(initOf(items).stdout.split("\n").slice(1)).toEqual([
      "to be corrected in it:",
      '  clusters/_defaults.yaml: resolvConf: "/etc//x" is not the absolute path of a file; accepted: /FOLDER/FILE, without . and ..',
      "inherited from clusters/_defaults.yaml, though the objects do not show it:",
      '  clusterDomain: "corp.example"',
      '  resolvConf: "/etc//x"',
      "cdk8s-cluster-dns already manages this cluster: use the cluster file that it was rendered from, if you have it",
      "",
    ]);
    expect(parse(scratch.read("clusters/prod.yaml"))).toEqual({ kubeProxyMode: "iptables" });

    scratch.write(
      "clusters/_defaults.yaml",
      "clusterDNS: [10.97.0.10]\nkubeProxyMode: iptables\nagentImage: a.example/a:v1\nnodeResolver: {services: [a.b.svc]}\n",
    );
    expect(initOf(items, "same").stdout).toMatch(
      /^rendered differently by the new file:\n  \S+ node-resolver: (?!not )/m,
    );
    expect(scratch.read("clusters/same.yaml")).toMatch(/^\{\} #/m);
  });

  it("writes what objects say as one comment, whatever they say", () => {
    const annotations = { "meta.helm.sh/release-name": "x\nagentImage: evil.example/pwn:v1\n#\u001b[31m\u202e" };
    const items = [{ kind: "Deployment", metadata: { name: "coredns", annotations }, spec: {} }];
    const { stdout } = initOf(items);
    expect(scratch.read("clusters/prod.yaml")).not.toMatch(/^agentImage: evil/m);
    expect(stdout).not.toMatch(/[\u001b\u202e]/u);
  });

  it("says which object is missing for a key, and refuses a name that a folder has", () => {
    const nodes = [{ kind: "Node", metadata: { name: "a" } }];
    expect(initOf(nodes).stdout).toContain("  clusterDNS: no DNS Service is among the objects; get them with -n kube-");
    scratch.write("fleet/_defaults.yaml", "kubeProxyMode: iptable\n");
    expect(initOf(nodes, "prod", "--clusters", "fleet").stdout).toContain('kubeProxyMode: "iptable" is not one of');
    scratch.write("clusters/eu/west.yaml", "clusterDNS: [10.96.0.10]\nkubeProxyMode: iptables\n");
    expect(scratch.run("init", "west").stderr).toContain("clusters/eu/west.yaml already exists");
  });

  it("reports an object that it cannot read, and writes nothing", () => {
    scratch.write("objects.json", JSON.stringify({ items: [{ kind: "Service", metadata: { name: "kube-dns" } }] }));
    expect(scratch.run("init", "prod", "--from", "objects.json")).toEqual(
      refusal(
        /^objects\.json: Service kube-dns: is not as the API server writes it; accepted: a Corefile, or the output of kubectl -n kube-system get .* -o json\n$/,
      ),
    );
    expect(existsSync(join(scratch.folder, "clusters"))).toBe(false);
  });

  it("asks kubectl, also for OpenShift's namespace", () => {
    const dns = { kind: "Service", metadata: { name: "dns-default", namespace: "openshift-dns" } };
    const spec = { clusterIPs: ["172.30.0.10"], ports: [{ port: 53, protocol: "UDP" }] };
    const environment = scratch.writeProgram(
      "kubectl",
      `#!/bin/sh
case "$2 $4" in
  *" kube-system") test "$2" != test && echo '{"items":[{"kind":"Node","metadata":{"name":"a"}}]}' ;;
  "openshift openshift-dns") echo '${JSON.stringify({ items: [{ ...dns, spec }] })}' ;;
  *) false ;;
esac || { echo no such context >&2; exit 1; }
`,
    );
    expect(scratch.runWith({ environment }, "init", "prod", "--context", "prod")).toMatchObject({
      exitCode: 0,
      stderr: "",
    });
    expect(scratch.runWith({ environment }, "init", "openshift", "--context", "openshift")).toMatchObject({
      exitCode: 0,
    });
    expect(parse(scratch.read("clusters/openshift.yaml"))).toMatchObject({ clusterDNS: ["172.30.0.10"] });
    expect(scratch.runWith({ environment }, "init", "test", "--context", "test")).toEqual(
      refusal(/^kubectl --context test -n kube-system get .*: no such context; kubectl has no context test: give one /),
    );
  });

  it("reads a Corefile alone", () => {
    scratch.write("Corefile", ".:53 {\n  forward . 10.9.9.9\n  cache 30\n}\n");
    expect(scratch.run("init", "prod", "--from", "Corefile")).toEqual(
      success(/in it:\n  clusterDNS: no Corefile says it: .*\n  kubeProxyMode: no Corefile says it: /),
    );
    expect(parse(scratch.read("clusters/prod.yaml"))).toMatchObject({ upstreamNameservers: ["10.9.9.9"] });
  });

  it.each([
    ["NAME  READY\n", "is neither JSON, as kubectl prints with -o json, nor a Corefile: "],
    ["apiVersion: v1\nkind: ConfigMap\n", "is YAML, which is not read: get the same with kubectl's -o json"],
    ["{", "is not JSON"],
  ])("reports input that is neither objects nor a Corefile: %j", (text, why) => {
    scratch.write("objects.json", text);
    expect(scratch.run("init", "--from", "objects.json")).toEqual(refusal(part(`objects.json: ${why}`)));
  });

  it("reads what a shell of Windows made of kubectl's output", () => {
    scratch.write("marked.json", `\ufeff${JSON.stringify({ items: [service] })}`);
    expect(scratch.run("init", "prod", "--from", "marked.json")).toMatchObject({ exitCode: 0, stderr: "" });
    expect(scratch.read("clusters/prod.yaml")).toContain("\nclusterDNS:\n  - 10.97.0.10\n");
  });

  it("refuses two sources", () => {
    expect(scratch.run("init", "--from", "a", "--context", "b")).toMatchObject({ exitCode: 2 });
  });

  it.each([
    ["of the package, for completion and checks in editors", "../node_modules/cdk8s-cluster-dns/clusters/schema.json"],
    ["next to the file", "schema.json"],
  ])("names the schema %s", (_, path) => {
    if (path === "schema.json") scratch.write("clusters/schema.json", "{}");
    scratch.run("init");
    expect(scratch.read("clusters/dev.yaml").split("\n")[0]).toBe(`# yaml-language-server: $schema=${path}`);
    if (path === "schema.json") expect(scratch.read("clusters/schema.json")).toBe("{}");
  });

  it.each(["prod.yaml", "prod.yml"])("never overwrites: %s", (fileName) => {
    scratch.write(`clusters/${fileName}`, "mine\n");
    expect(scratch.run("init", "prod")).toEqual(
      refusal(`clusters/${fileName} already exists; edit it, or choose another name\n`),
    );
    expect(scratch.read(`clusters/${fileName}`)).toBe("mine\n");
  });

  it("refuses a folder that synth would refuse, and leaves it as it was", () => {
    scratch.write("clusters/_defaults.yaml", "kubeProxyMode: iptables\n");
    const refused = refusal(/^clusters\/_defaults\.yaml: /);
    expect(scratch.run("init", "--clusters", "clusters/eu/north")).toEqual(refused);
    expect(existsSync(join(scratch.folder, "clusters/eu"))).toBe(false);
    scratch.write("fleet/_default.yaml", "kubeProxyMode: iptables\n");
    expect(scratch.run("init", "--clusters", "fleet").stderr).toContain("what clusters share is in _defaults.yaml");
    scratch.write("clusters/eu/dev.yaml", "clusterDNS: [10.96.0.10]\n");
    symlinkSync("nowhere", join(scratch.folder, "clusters/README"));
    expect(scratch.run("init", "dev").stderr).toMatch(/^clusters\/README: /);
    expect(existsSync(join(scratch.folder, "clusters/dev.yaml"))).toBe(false);
  });

  it("reports a defaults file that synth would refuse, at its place", () => {
    const items = [{ kind: "Deployment", metadata: { name: "coredns" }, spec: { replicas: 3 } }];
    scratch.write("clusters/_defaults.yaml", "- a\n");
    expect(initOf(items)).toEqual(refusal(part('clusters/_defaults.yaml:1:1 ["a"] is a list')));
    scratch.write("clusters/_defaults.yaml", "authoritativeDNS:\n");
    expect(initOf(items).stdout).toContain("  clusters/_defaults.yaml:1:18 authoritativeDNS: is empty; accepted: ");
  });

  it.each(["Prod_EU", "clusters/prod-eu.yaml"])("refuses %j as a cluster's name, and says what is meant", (name) => {
    expect(scratch.run("init", name)).toEqual(refusal(/is not a cluster name: .*; did you mean prod-eu\?\n$/, 2));
  });

  it.each([["prod", "prod.json"], ["prod.json"]])("says where a file of saved objects goes: %s %s", (...names) => {
    scratch.write("prod.json", "{}");
    expect(scratch.run("init", ...names)).toEqual(refusal(part("; for objects that you saved: --from prod.json"), 2));
  });

  it("reports where it cannot write", () => {
    scratch.write("clusters", "a file\n");
    const message = (what: string) => `${what}, not a folder; move it elsewhere\n`;
    expect(scratch.run("init")).toMatchObject({ exitCode: 1, stderr: message("clusters is in the way: it is a file") });
    symlinkSync("nowhere", join(scratch.folder, "link"));
    expect(scratch.run("init", "--clusters", "link").stderr).toBe(
      message("link is in the way: it is a symbolic link to nothing"),
    );
    expect(scratch.run("init", "--clusters", "clusters/below").stderr).toContain("dev.yaml cannot be written");
  });
});

it("if the package is not installed in the user's folder, the schema is copied next to the cluster file", () => {
  mkdirSync(join(scratch.folder, "elsewhere"));
  expect(scratch.spawn({ cwd: join(scratch.folder, "elsewhere") }, "init")).toMatchObject({ exitCode: 0 });
  expect(scratch.read("elsewhere/clusters/dev.yaml")).toMatch(/^# yaml-language-server: \$schema=schema\.json\n/);
  expect(JSON.parse(scratch.read("elsewhere/clusters/schema.json"))).toMatchObject({ type: "object" });
  rmSync(join(scratch.folder, "elsewhere"), { recursive: true });
});
