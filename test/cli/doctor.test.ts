import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, it } from "vitest";
import { refusal, Scratch } from "./scratch";

/** Serves pages.json (path to JSON or text; null is forbidden, `lists` any other list), as `kubectl proxy` does. */
const fakeKubectl = `#!/usr/bin/env node
const { appendFileSync, existsSync, readFileSync } = require("node:fs");
const args = process.argv.slice(2);
appendFileSync("calls", args.join(" ") + "\\n");
if (args.join(" ") === "config current-context") {
  if (existsSync("no-context")) process.exit(1);
  console.log("current");
  process.exit(0);
}
if (args.includes("nowhere")) { process.stderr.write("error: context does not exist\\n"); process.exit(1); }
const socket = args.find((each) => each.startsWith("--unix-socket=")).slice("--unix-socket=".length);
const pages = existsSync("pages.json") ? JSON.parse(readFileSync("pages.json", "utf8")) : {};
require("node:http").createServer((request, response) => {
  const path = request.url.replace("?limit=100", "");
  const page = path in pages || path === request.url ? pages[path] : pages.lists;
  appendFileSync("calls", request.method + " " + request.url + "\\n");
  if (page === undefined || page === null) {
    response.statusCode = page === null ? 403 : 404;
    return response.end(page === null ? JSON.stringify({ kind: "Status", message: "pods is forbidden" }) : "404 page not found\\n");
  }
  response.end(typeof page === "string" ? page : JSON.stringify(page));
}).listen(socket, () => process.stdout.write("Starting to serve on " + socket + "\\n"));
`;

const list = (...items: object[]) => ({ items });
const dns = { "k8s-app": "kube-dns" };
const ownerReferences = [{ kind: "ReplicaSet", name: "coredns-5f9" }];
const kubeDns = {
  metadata: { name: "kube-dns", namespace: "kube-system", labels: dns },
  spec: { clusterIP: "10.96.0.10", clusterIPs: ["10.96.0.10"], selector: dns },
};
const shortest = "clusterDNS: [10.96.0.10]\nkubeProxyMode: iptables\n";
const coreDnsLog =
  "/api/v1/namespaces/kube-system/pods/coredns-0/log?container=coredns&sinceSeconds=600&tailLines=1000&timestamps=true";
const system = "/api/v1/namespaces/kube-system";
const pages = {
  lists: list(),
  "/version": { gitVersion: "v1.37.1" },
  "/api/v1/nodes": list({ metadata: { name: "node-1" } }),
  "/api/v1/nodes/node-1/proxy/configz": {
    kubeletconfig: { clusterDNS: ["10.96.0.10"], clusterDomain: "cluster.local" },
  },
  "/api/v1/pods": list({
    metadata: {
      name: "coredns-0",
      namespace: "kube-system",
      labels: { ...dns, "pod-template-hash": "5f9" },
      ownerReferences,
    },
    spec: { containers: [{ name: "coredns" }] },
    status: { phase: "Running", podIP: "10.244.0.2", conditions: [{ type: "Ready", status: "True" }] },
  }),
  [coreDnsLog]: "2026-11-01T00:00:00.1Z [INFO] CoreDNS-1.14.7\n",
  [`${system}/services`]: list(kubeDns),
  "/apis/discovery.k8s.io/v1/namespaces/kube-system/endpointslices": list({
    metadata: { name: "kube-dns-x", labels: { "kubernetes.io/service-name": "kube-dns" } },
    endpoints: [{ addresses: ["10.244.0.2"] }],
  }),
  "/apis/apps/v1/namespaces/kube-system/deployments": list({
    metadata: { name: "coredns", namespace: "kube-system" },
    spec: { replicas: 1, selector: { matchLabels: dns }, template: { spec: { containers: [{ name: "coredns" }] } } },
  }),
};

const scratch = Scratch.forEach();
let withKubectl: { PATH: string };
beforeEach(() => {
  withKubectl = scratch.writeProgram("kubectl", fakeKubectl);
  scratch.write("pages.json", JSON.stringify(pages));
});

function doctor(...args: string[]) {
  return doctorWith({}, ...args);
}

function doctorWith(env: { readonly [name: string]: string }, ...args: string[]) {
  return scratch.runLater({ ...withKubectl, ...env }, "doctor", ...args);
}

it("looks at a cluster without a cluster file, reads only, and leaves nothing behind", async () => {
  scratch.write("clusters/README.md", "");
  const { exitCode, stdout, stderr } = await doctor("--context", "prod");
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
  expect(stdout).toBe(`1 info

INFO: clusters: no cluster file: what the cluster should be is unknown
  Services, ports, configurations, kube-proxy's mode, tenants and the webhook were not compared with anything
  $ npx cdk8s-cluster-dns init NAME --context prod

looked at:
  context prod: API server v1.37.1, 1 node
  no cluster file: Services, pods and logs of the cluster's DNS, compared with nothing
  DNS settings of 1 kubelets, and of all pods
  logs of 1 pods, metrics of 0
  kube-proxy's mode: unknown
`);
  const [call = "", ...requests] = scratch.read("calls").trim().split("\n");
  expect(call).toMatch(/^--context prod proxy --unix-socket=\S+ --reject-methods=\S+$/);
  expect(requests.filter((each) => !each.startsWith("GET "))).toEqual([]);
  expect(requests.join()).not.toContain("secrets");
  expect(existsSync(/--unix-socket=(\S+)\/api/.exec(call)?.[1] ?? "/")).toBe(false);
});

it("finds what is wrong, the worst first, with commands for this cluster; exit code 1", async () => {
  scratch.write("clusters/prod.yaml", `${shortest}nodeLocalDNS: {state: disabled}\n`);
  scratch.write("pages.json", JSON.stringify({ ...pages, [`${system}/services`]: list(), "/api/v1/pods": null }));
  const { exitCode, stdout } = await doctor("--context", "my cluster", "--out", "my dist");
  expect(exitCode).toBe(1);
  expect(stdout).toContain(`ERROR: Service kube-system/kube-dns: is missing
  the cluster file renders it, the cluster does not have it
  $ npx cdk8s-cluster-dns synth --out 'my dist' prod
  $ npx cdk8s-cluster-dns diff --live prod --context 'my cluster'
  $ kubectl --context 'my cluster' apply --server-side --force-conflicts -k 'my dist/prod'
`);
  expect(stdout).toContain("\n  then the last 3 commands of Service kube-system/kube-dns: is missing\n");
  expect(stdout.match(/ diff --live prod /g)).toHaveLength(1);
  expect(stdout).toContain("ERROR: pods: could not be read, and was not checked\n  pods is forbidden\n");
  expect(stdout).toContain("\n  all objects in kube-system, and those of no namespace, that ");
  expect(stdout.indexOf("ERROR")).toBeLessThan(stdout.indexOf("WARNING"));
});

it("has a first file made from this cluster, where it has no DNS", async () => {
  scratch.write("pages.json", JSON.stringify({ ...pages, [`${system}/services`]: list() }));
  const { stdout } = await doctor("--context", "my cluster");
  const inits = stdout.split("\n").filter((line) => line.includes(" init "));
  expect(inits).toHaveLength(2);
  expect(new Set(inits)).toEqual(new Set(["  $ npx cdk8s-cluster-dns init NAME --context 'my cluster'"]));
});

it("says first if everything is on one node", async () => {
  const [coredns] = pages["/api/v1/pods"].items;
  const changed = {
    ...pages,
    "/api/v1/nodes": list({ metadata: { name: "node-1" } }, { metadata: { name: "node-2" } }),
    "/api/v1/nodes/node-2/proxy/configz": pages["/api/v1/nodes/node-1/proxy/configz"],
    "/api/v1/pods": list({ ...coredns, spec: { containers: [{ name: "coredns" }], nodeName: "node-2" } }),
    [coreDnsLog]: "2026-11-01T00:00:00.1Z [FATAL] no\n2026-11-01T00:00:00.2Z Listen: address already in use\n",
  };
  scratch.write("pages.json", JSON.stringify(changed));
  expect((await doctor()).stdout).toMatch(
    /^2 errors, 1 info\nerrors and warnings are all on node node-2: look there first\n\nERROR: log of pod kube-system\/coredns-0 on node-2: /,
  );
});

it("takes no findings from what a node says", async () => {
  const clusterDomain = "x\n\nERROR: all: is lost\n  $ kubectl delete ns prod";
  const kubeletconfig = { clusterDNS: ["10.96.0.9"], clusterDomain };
  const mode = "x\\r\\n\\r\\nERROR: all: is lost\\n  $ kubectl delete ns prod";
  const configuration = `kind: KubeProxyConfiguration\nmode: "${mode}"\n`;
  const hostile = {
    ...pages,
    "/api/v1/nodes/node-1/proxy/configz": { kubeletconfig },
    [`${system}/configmaps`]: list({ metadata: { name: "any" }, data: { configuration } }),
  };
  scratch.write("pages.json", JSON.stringify(hostile));
  scratch.write("clusters/prod.yaml", shortest);
  const { stdout } = await doctor();
  expect(stdout).toContain("clusterDomain is x ERROR: all: is lost $ kubectl delete ns prod, it should be");
  expect(stdout).toContain("  kube-proxy's mode: x ERROR: all: is lost $ kubectl delete ns prod (ConfigMap any ");
  expect(stdout).not.toMatch(/^ *\$ kubectl delete ns/m);
});

it("has the colours of a terminal, and none of what a cluster says", async () => {
  const kubeletconfig = { clusterDNS: ["10.96.0.9"], clusterDomain: "\u001B[32mx" };
  scratch.write("pages.json", JSON.stringify({ ...pages, "/api/v1/nodes/node-1/proxy/configz": { kubeletconfig } }));
  scratch.write("clusters/prod.yaml", shortest);
  const { stdout } = await doctorWith({ FORCE_COLOR: "1" });
  expect(stdout).toMatch(/^\u001B\[1m\d+ errors?.*\u001B\[22m\n/);
  expect(stdout).toMatch(/^\u001B\[31mERROR: .*\u001B\[39m$/m);
  expect(stdout).not.toContain("\u001B[32m");
});

it("does not call a cluster healthy of which it may read nothing", async () => {
  const { "/version": version } = pages;
  const none = Object.fromEntries(Object.keys(pages).map((path) => [path, null]));
  scratch.write("pages.json", JSON.stringify({ ...none, "/version": version }));
  expect(await doctor()).toMatchObject({ exitCode: 1, stdout: expect.stringContaining("1 error, 1 info") });
});

it("--format json prints findings", async () => {
  const { exitCode, stdout } = await doctor("--format", "json");
  const { problems, result } = JSON.parse(stdout) as { problems: []; result: { findings: object[] } };
  expect({ exitCode, problems }).toEqual({ exitCode: 0, problems: [] });
  const said = { title: expect.any(String) as string, evidence: [expect.any(String)] };
  const next = ["npx cdk8s-cluster-dns init NAME --context current"];
  expect(result.findings).toEqual([{ id: "no-cluster-file", severity: "info", where: "clusters", ...said, next }]);
});

it.each([
  [undefined, 0],
  ["warning", 1],
])("--fail-on %s has exit code %i with a warning", async (least, exitCode) => {
  const line = "2026-11-01T00:00:00.1Z [ERROR] Recovered from panic in server: no";
  scratch.write("pages.json", JSON.stringify({ ...pages, [coreDnsLog]: line }));
  expect(await doctor(...(least === undefined ? [] : ["--fail-on", least]))).toMatchObject({ exitCode });
});

it("says that it cannot ask, or for which cluster", async () => {
  expect(await doctor("--context", "nowhere")).toEqual(
    refusal(
      /^kubectl --context nowhere proxy: error: context does not exist; kubectl has no context nowhere: give one /,
    ),
  );
  scratch.write("pages.json", "{}");
  const silent = "the API server does not answer: 404 page not found (HTTP 404)\n";
  expect(await doctor()).toMatchObject({ exitCode: 1, stderr: silent });
  scratch.write("no-context", "");
  expect((await doctor()).stderr).toContain("; kubectl has no current context: give one that ");
  expect((await doctor("prod")).stderr).toContain("clusters: cannot be read");
  expect((await doctor("--clusters", "clsters")).stderr).toContain("clsters: cannot be read");
  for (const name of ["a", "b"]) scratch.write(`clusters/${name}.yaml`, shortest);
  expect((await doctor()).stderr).toBe("clusters: has 2 clusters; name the one to look at: a, b\n");
  expect(await doctor("a", "b")).toMatchObject({ exitCode: 2 });
});

it("is a plugin of kubectl", async () => {
  const { bin } = JSON.parse(
    readFileSync(join(scratch.folder, "node_modules/cdk8s-cluster-dns/package.json"), "utf8"),
  ) as { bin: { [name: string]: string } };
  // kubectl runs kubectl-cluster_dns for `kubectl cluster-dns`.
  expect(bin["kubectl-cluster_dns"]).toBe(bin["cdk8s-cluster-dns"]);
});
