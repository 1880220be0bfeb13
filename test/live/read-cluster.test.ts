import { describe, expect, it } from "vitest";
import { readCluster } from "../../src/live/read-cluster";
import type { Answer } from "../../src/live/kubectl-proxy";
import type { Described } from "../../src/model/doctor/described";
import { linesOfEach } from "../../src/model/doctor/logs";
import type { ClusterState } from "../../src/model/running/cluster-state";
import { described, props } from "../model/doctor/healthy";

const list = (...items: unknown[]) => ({ items });
const system = "/api/v1/namespaces/kube-system";
const node = (more: object = {}) => ({ metadata: { name: "node-1" }, ...more });
const ofWeb = { name: "coredns-0", namespace: "web" };
const pod = (more: object) => ({ metadata: ofWeb, spec: { containers: [], dnsPolicy: "None" }, ...more });

/** One of CoreDNS's, which runs. */
const dnsPod = (status: object = {}, spec: object = {}, name = "coredns-0", metadata: object = {}) => ({
  metadata: { name, namespace: "kube-system", labels: { "k8s-app": "kube-dns" }, ...metadata },
  spec: { containers: [{ name: "coredns" }], ...spec },
  status: { phase: "Running", ...status },
});

const logOf = (name: string, container: string, namespace = system) =>
  `${namespace}/pods/${name}/log?container=${container}&sinceSeconds=600&tailLines=1000&timestamps=true`;

/** What is read of a cluster with these pages, or other answers, and otherwise nothing in it. */
function seen(
  pages: { readonly [path: string]: unknown },
  as?: Described,
  answered: (path: string) => Answer | undefined = () => undefined,
) {
  return readCluster((path) => {
    const page = pages[path.replace("?limit=100", "")] ?? list();
    return Promise.resolve(answered(path) ?? { text: typeof page === "string" ? page : JSON.stringify(page) });
  }, as);
}

function lastLines(logs: ClusterState["logs"], of: string) {
  return [...(logs.get(of) ?? [])].map(([container, { whyEnded }]) => [container, whyEnded]);
}

const login = "<!DOCTYPE html>\n<title>Sign in</title>";

describe("a page that is not what was asked for is unread, not empty:", () => {
  it.each<[what: string, page: unknown, why: string]>([
    ["a login", login, "answered with no JSON: <!DOCTYPE html>"],
    ["a list without items", { kind: "ServiceList" }, "answered with no list"],
    ["an item without spec", list({ ...node(), spec: {} }, node()), "item 2 of 2 is not as the API server writes it"],
    ["an item without name", list({ spec: {} }), "item 1 of 1 is not as the API server writes it"],
  ])("%s", async (_, page, why) => {
    const path = `${system}/services`;
    const { services, unread, pods } = await seen({ [path]: page });
    expect({ services, pods, unread }).toMatchObject({
      services: undefined,
      pods: [],
      unread: [{ what: "services of kube-system", why, path: `${path}?limit=100` }],
    });
  });

  it.each<[page: unknown, why: string]>([
    [login, "answered with no JSON: <!DOCTYPE html>"],
    [{}, "answered with no kubeletconfig"],
    [{ kubeletconfig: { clusterDomain: 5 } }, "its clusterDomain is no name"],
    [{ kubeletconfig: { clusterDNS: "10.96.0.10" } }, "its clusterDNS is no list of addresses"],
  ])("a kubelet's %j", async (page, why) => {
    const path = "/api/v1/nodes/node-1/proxy/configz";
    const { kubelets, unread } = await seen({ "/api/v1/nodes": list(node()), [path]: page });
    expect(kubelets).toEqual(new Map());
    expect(unread).toMatchObject([{ what: "the kubelet's configuration of node-1", why, path }]);
  });
});

it("the time is the API server's, whatever this machine's clock", async () => {
  const date = "Thu, 01 Nov 2040 00:00:00 GMT";
  const { now } = await seen({}, undefined, (path) => (path === "/version" ? { text: "{}", date } : undefined));
  expect(Math.round((now.getTime() - Date.parse(date)) / 3_600_000)).toBe(0);
});

it("null is not set", async () => {
  const { nodes, pods, kubelets, endpointSlices, unread } = await seen({
    "/api/v1/nodes": list(node({ spec: { taints: null }, status: { conditions: null } })),
    "/api/v1/nodes/node-1/proxy/configz": { kubeletconfig: { clusterDNS: null, clusterDomain: null } },
    "/api/v1/pods": list(pod({ status: { containerStatuses: null } })),
    "/apis/discovery.k8s.io/v1/namespaces/kube-system/endpointslices": list({ ...node(), endpoints: null }),
  });
  const slice = { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice" };
  expect({ nodes, pods, kubelets, endpointSlices, unread }).toEqual({
    nodes: [{ apiVersion: "v1", kind: "Node", ...node({ spec: {}, status: {} }) }],
    pods: [{ apiVersion: "v1", kind: "Pod", ...pod({ status: {} }) }],
    kubelets: new Map([["node-1", { clusterDNS: [], clusterDomain: "" }]]),
    endpointSlices: [{ ...slice, ...node() }],
    unread: [],
  });
});

it("a kubelet's addresses have the spelling of Services, whatever that of its file", async () => {
  const page = { kubeletconfig: { clusterDNS: ["FD00:96:0:0:0:0:0:A", "10.96.0.10"], clusterDomain: "cluster.local" } };
  const path = "/api/v1/nodes/node-1/proxy/configz";
  const { kubelets } = await seen({ "/api/v1/nodes": list(node()), [path]: page });
  expect(kubelets.get("node-1")?.clusterDNS).toEqual(["fd00:96::a", "10.96.0.10"]);
});

it("a DNS of the cluster's own is read where it is, with its pods' logs", async () => {
  const service = { namespace: "openshift-dns", name: "dns-default", selector: { dns: "default" } };
  const as = described({ ...props, authoritativeDNS: { kind: "Existing", service } });
  const elsewhere = "/api/v1/namespaces/openshift-dns";
  const metadata = { namespace: "openshift-dns", labels: { dns: "default" } };
  const dns = dnsPod({}, { containers: [{ name: "dns" }] }, "dns-default-x", metadata);
  const of = (name: string) => list({ metadata: { name }, spec: {} });
  const pages = {
    [`${system}/services`]: of("kube-dns-upstream"),
    [`${elsewhere}/services`]: of("dns-default"),
    "/api/v1/pods": list(dns),
    [logOf("dns-default-x", "dns", elsewhere)]: "[INFO] a",
  };
  const { services, logs, unread } = await seen(pages, as);
  expect(services?.map((each) => each.metadata.name)).toEqual(["kube-dns-upstream", "dns-default"]);
  expect(lastLines(logs, "dns-default-x")).toEqual([["dns", "[INFO] a"]]);
  expect(unread).toEqual([]);
  const { services: none } = await seen({ [`${elsewhere}/services`]: "no list" }, as);
  expect(none).toBeUndefined();
});

it("of events, warnings alone are read", async () => {
  const event = { metadata: { name: "a" }, involvedObject: { kind: "Job", name: "test" } };
  const { events } = await seen({ [`${system}/events&fieldSelector=type=Warning`]: list(event) });
  expect(events).toMatchObject([event]);
});

const ports = [{ name: "metrics", containerPort: 9254 }];
const watchdog = dnsPod({ podIP: "192.0.2.1" }, { containers: [{ name: "watchdog", ports }] }, "watchdog-1", {
  labels: { "k8s-app": "node-local-dns-watchdog" },
});
const metricsPath = `${system}/pods/watchdog-1:9254/proxy/metrics`;

it.each<[failure: string, missing: object, count: number]>([
  ["404 page not found (HTTP 404)", {}, 1],
  ['pods "watchdog-1" not found', { missing: "watchdog-1" }, 0],
  ['services "other" not found', { missing: "other" }, 1],
])("metrics that cannot be read are said to be, unless the pod has gone: %s", async (failure, missing, count) => {
  const answered = (path: string) => (path.endsWith("/metrics") ? { failure, ...missing } : undefined);
  const { metrics, unread } = await seen({ "/api/v1/pods": list(watchdog) }, undefined, answered);
  expect(metrics.size).toBe(0);
  const said = { what: "metrics of pod kube-system/watchdog-1", why: failure, path: metricsPath };
  expect(unread).toMatchObject(Array.from({ length: count }, () => said));
});

it("the log of a container's last run is read if that ended in an error", async () => {
  const state = { running: {} };
  const ran = (name: string, exitCode: number) => ({ name, state, lastState: { terminated: { exitCode } } });
  const containers = [{ name: "coredns" }, { name: "other" }];
  const coredns = dnsPod({ containerStatuses: [ran("coredns", 2), ran("other", 0)] }, { containers });
  const { logs } = await seen({ "/api/v1/pods": list(coredns) }, undefined, (path) => {
    const text = path.includes("previous=true") ? "SIGSEGV: segmentation violation" : "[INFO] plugin/ready";
    return path.includes("/log?") ? { text } : undefined;
  });
  expect(lastLines(logs, "coredns-0")).toEqual([
    ["coredns", "[INFO] plugin/ready"],
    ["coredns --previous", "SIGSEGV: segmentation violation"],
    ["other", "[INFO] plugin/ready"],
  ]);
});

it("keeps of a log what it says, and no other line", async () => {
  const silent = (i: number) =>
    `2026-11-01T00:00:0${i % 10}Z [ERROR] plugin/errors: 2 a.example. A: read udp 10.244.0.2:${i}->192.0.2.53:53: i/o timeout`;
  const log = [...Array.from({ length: 998 }, (_, i) => silent(i)), "2026-11-01T00:01:00Z [INFO] a".padEnd(5000, "b")];
  const { logs } = await seen({
    "/api/v1/pods": list(dnsPod()),
    [logOf("coredns-0", "coredns")]: log.join("\n"),
  });
  expect(logs.get("coredns-0")?.get("coredns")).toEqual({
    lines: 999,
    whyEnded: "[INFO] a".padEnd(400, "b"),
    complaints: [
      {
        complaint: expect.any(Number) as number,
        count: 998,
        text: silent(989).slice("2026-11-01T00:00:00Z ".length),
        time: Date.parse("2026-11-01T00:00:09Z"),
        since: Date.parse("2026-11-01T00:00:00Z"),
        name: "a.example.",
      },
    ],
    repaired: [],
  });
});

it("a last run whose container the kubelet has removed has no log, which is no fault", async () => {
  const ended = { name: "coredns", state: { running: {} }, lastState: { terminated: { exitCode: 2 } } };
  const coredns = dnsPod({ containerStatuses: [ended] });
  const failure = "unable to retrieve container logs for containerd://4f0c";
  const answered = (path: string) => (path.includes("/log?") ? { failure } : undefined);
  const { unread } = await seen({ "/api/v1/pods": list(coredns) }, undefined, answered);
  // Of the run that goes on, it is one.
  expect(unread).toMatchObject([{ what: "the log of pod kube-system/coredns-0, coredns", why: failure }]);
  expect(unread[0]?.path).not.toContain("previous");
});

it.each(["Pending", "Failed", "Succeeded"])("a pod that is %s has no log to read", async (phase) => {
  expect((await seen({ "/api/v1/pods": list(dnsPod({ phase })) })).logs).toEqual(new Map());
});

it.each([1, 0])("keeps of metrics no histograms, and of packets two sums, where some were: %i", async (past) => {
  const prefix = "node_local_dns_watchdog";
  const page = [
    `${prefix}_blocked 1`,
    `${prefix}_probe_duration_seconds_bucket{le="0.1"} 5`,
    ...["udp-10.96.0.10", "tcp-10.96.0.10"].flatMap((listener) => [
      `${prefix}_packets_total{listener="${listener}",kind="requests"} 20`,
      `${prefix}_packets_total{listener="${listener}",kind="replies"} 20`,
      `${prefix}_packets_total{listener="${listener}",kind="past-silent"} ${past}`,
    ]),
  ].join("\n");
  const { metrics } = await seen({ "/api/v1/pods": list(watchdog), [metricsPath]: page });
  expect(metrics.get("watchdog-1")).toEqual([
    { name: `${prefix}_blocked`, labels: {}, value: 1 },
    { name: `${prefix}_packets_total`, labels: { kind: "requests" }, value: 40 },
    ...(past > 0 ? [{ name: `${prefix}_packets_total`, labels: { kind: "past-silent" }, value: 2 * past }] : []),
  ]);
});

it("a page without metrics is unread", async () => {
  const { metrics, unread } = await seen({ "/api/v1/pods": list(watchdog), [metricsPath]: login });
  expect(metrics.size).toBe(0);
  expect(unread.map(({ why, path }) => [why, path])).toContainEqual(["answered with no metrics", metricsPath]);
});

it("has what was read, and was not, in an order that no answer's delay changes", async () => {
  const nodes = ["node-1", "node-2", "node-3"];
  const named = nodes.map((name) => ({ metadata: { name } }));
  const containers = [{ name: "coredns" }, { name: "other" }];
  const coredns = nodes.map((nodeName) => dnsPod({}, { nodeName, containers }, `coredns-${nodeName}`));
  const observed = async (isLastFirst: boolean) => {
    let pages = 0;
    const { logs, unread } = await readCluster(async (path) => {
      if (path === "/version") return { text: "{}" };
      if (path.startsWith("/api/v1/pods")) return { text: JSON.stringify(list(...coredns)) };
      if (path.startsWith("/api/v1/nodes?")) return { text: JSON.stringify(list(...named)) };
      for (let turns = isLastFirst ? 100 - pages++ : 0; turns > 0; turns--) await Promise.resolve();
      return path.includes("/log?") ? { text: "" } : { failure: `no ${path}` };
    }, undefined);
    return JSON.stringify([[...logs].map(([name, each]) => [name, ...each.keys()]), unread]);
  };
  expect(await observed(true)).toBe(await observed(false));
});

it("keeps what cert-manager issued to the webhook, and asks only where it issues", async () => {
  const request = (name: string) => ({ metadata: { name, annotations: { "cert-manager.io/certificate-name": name } } });
  const path = "/apis/cert-manager.io/v1/namespaces/kube-system/certificaterequests";
  const pages = { [path]: list(request("cluster-dns-webhook"), request("other")) };
  const of = async (certificates: "cert-manager" | "self-managed") => {
    const admission = { allowedUsers: ["a"], webhook: { certificates } };
    const { asked } = await seen(pages, described({ ...props, admission }));
    return asked.get("CertificateRequest")?.map(({ metadata: { name } }) => name);
  };
  expect(await of("cert-manager")).toEqual(["cluster-dns-webhook"]);
  expect(await of("self-managed")).toBeUndefined();
});

describe("rights that the cluster file renders", () => {
  const path = "/apis/rbac.authorization.k8s.io/v1/clusterroles/system:coredns";
  const of = async (answer: Answer) => {
    const { asked, unread } = await seen({}, described(), (page) => {
      if (page === path) return answer;
      return page.includes("?limit=100") || page === "/version" ? undefined : gone;
    });
    return { roles: asked.get("ClusterRole"), unread: unread.map(({ what }) => what) };
  };
  const gone = { failure: "404 page not found", status: 404 };
  const metadata = { name: "system:coredns" };
  const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata };

  it.each<[what: string, answer: Answer, roles: object[] | undefined, unread: string[]]>([
    ["are there", { text: JSON.stringify(role) }, [role], []],
    ["are missing", { failure: "not found", status: 404, missing: metadata.name }, [], []],
    ["are nothing that this server knows", gone, undefined, []],
    ["may not be read", { failure: "is forbidden", status: 403 }, undefined, ["ClusterRole system:coredns"]],
  ])("%s", async (_, answer, roles, unread) => {
    expect(await of(answer)).toEqual({ roles, unread });
  });
});

describe("what a node or pod says itself", () => {
  /** Of a DNS pod on each of the nodes, the paths that were asked for. */
  const of = async (count: number, answered: (path: string) => Answer | undefined) => {
    const nodes = Array.from({ length: count }, (_, i) => `node-${i}`);
    const pages = {
      "/api/v1/nodes": list(...nodes.map((name) => ({ metadata: { name } }))),
      "/api/v1/pods": list(
        ...nodes.map((nodeName) => dnsPod({}, { ...dnsPod().spec, nodeName }, `coredns-${nodeName}`)),
      ),
    };
    const asked: string[] = [];
    const { unread } = await seen(pages, undefined, (path) => {
      asked.push(path);
      return path.includes("/log?") ? { text: "" } : answered(path);
    });
    const ofKubelets = unread.filter(({ page }) => page?.kind === "kubelet");
    return {
      kubelets: asked.filter((path) => path.endsWith("/configz")).length,
      logs: asked.filter((path) => path.includes("/log?")).length,
      unread: ofKubelets.length,
      notAsked: ofKubelets.filter(({ wasAsked }) => wasAsked === false).length,
    };
  };

  const silent = { failure: "no answer within 5 s" };
  const configuration = { text: JSON.stringify({ kubeletconfig: {} }) };
  const onlySilent = (name: string) => (path: string) =>
    path.includes(`/${name}/proxy/configz`) ? silent : configuration;
  it.each<[what: string, count: number, answered: (path: string) => Answer | undefined, asked: object]>([
    ["of a kubelet that hangs, no log", 3, onlySilent("node-1"), { kubelets: 3, logs: 2, unread: 1, notAsked: 0 }],
    ["of 40 that none reaches, a few", 40, () => silent, { kubelets: 14, logs: 0, unread: 40, notAsked: 26 }],
    [
      "of 40 that are not allowed, all",
      40,
      () => ({ failure: "is forbidden", status: 403 }),
      { kubelets: 40, logs: 40 },
    ],
  ])("is asked for as long as it may answer: %s", async (_, count, answered, asked) =>
    expect(await of(count, (path) => (path.includes("/proxy/") ? answered(path) : undefined))).toMatchObject(asked),
  );

  it("is waited for 5 s, and lists longer", async () => {
    const waits = new Map<string, number | undefined>();
    const pages: { readonly [path: string]: object } = { nodes: list(node()), pods: list(dnsPod()) };
    await readCluster((path, patience) => {
      const [, last = ""] = /([^/?]+)(?:\?|$)/.exec(path) ?? [];
      waits.set(last, patience);
      return Promise.resolve({ text: JSON.stringify(pages[last] ?? list()) });
    }, undefined);
    expect(Object.fromEntries(waits)).toMatchObject({ configz: 5000, log: 5000, livez: 5000, nodes: undefined });
  });
});

describe("kube-proxies", () => {
  const refused = { failure: "error trying to reach service: connection refused", status: 503 };
  const of = async (answers: readonly Answer[]) => {
    const asked: string[] = [];
    const nodes = answers.map((_, i) => ({ metadata: { name: `node-${i}` } }));
    const { kubeProxies } = await seen({ "/api/v1/nodes": list(...nodes) }, undefined, (path) => {
      const [, name] = /nodes\/http:(node-\d+):10256\/proxy\/livez$/.exec(path) ?? [];
      if (name !== undefined) asked.push(name);
      return name === undefined ? undefined : answers[Number(name.slice("node-".length))];
    });
    return { silent: [...kubeProxies].filter(([, why]) => why).map(([name]) => name), asked: asked.length };
  };

  const up = { text: "{}" };
  it.each<[what: string, answers: Answer[], silent: string[], asked: number]>([
    ["are silent on a node, beside others that answer", [up, refused, up, refused], ["node-1", "node-3"], 4],
    ["that no network leads to are given up after a few", Array.from({ length: 40 }, () => refused), [], 14],
  ])("%s", async (_, answers, silent, asked) => expect(await of(answers)).toEqual({ silent, asked }));
});

describe("a list of thousands", () => {
  const named = (name: string) => ({ metadata: { name }, spec: { containers: [], dnsPolicy: "None" } });
  const rest = "/api/v1/pods&continue=a%2Bb";
  const begun = { "/api/v1/pods": { ...list(named("a")), metadata: { continue: "a+b" } } };

  it("is read without managed fields, whatever these and other texts have", async () => {
    const annotations = { said: ',"managedFields":[{"a":"]"}]' };
    const managedFields = [{ manager: '"]', fieldsV1: { 'k:{"name":"\\\\"}': { ".": {} } } }, { manager: "[" }];
    const metadata = { name: "a", annotations, managedFields };
    const { configMaps, unread } = await seen({
      [`${system}/configmaps`]: list({ metadata, data: { b: "]" } }, { metadata: { ...metadata, labels: {} } }),
    });
    const first = { metadata: { name: "a", annotations }, data: { b: "]" } };
    expect(configMaps).toMatchObject([first, { metadata: { labels: {} } }]);
    expect(JSON.stringify(configMaps)).not.toContain("fieldsV1");
    expect(unread).toEqual([]);
  });

  it("is kept as far as somebody may be told of its pods", async () => {
    const of = (name: string, image: string, more: object = {}) => ({
      metadata: { name, namespace: "shop" },
      spec: { containers: [{ name, image }], dnsPolicy: "ClusterFirst", ...more },
    });
    const all = list(
      of("plain", "shop:1"),
      of("own", "shop:1", { dnsPolicy: "None" }),
      of("host", "shop:1", { hostNetwork: true }),
      of("shell", "busybox:1.36"),
      of("proxy", "registry.k8s.io/kube-proxy:v1.37.1"),
    );
    const kept = async (from: Described) =>
      (await seen({ "/api/v1/pods": all }, from)).pods?.map(({ metadata }) => metadata.name);
    expect(await kept(described())).toEqual(["own", "host", "shell", "proxy"]);
    const tenancy = { tenants: [{ name: "green", namespaces: ["shop"] }] };
    const admission = { allowedUsers: ["admin"] };
    expect(await kept(described({ ...props, tenancy }))).toHaveLength(5);
    expect(await kept(described({ ...props, admission, kubernetesVersion: "1.36" }))).toHaveLength(5);
  });

  it.each([
    ["is read a part at a time", list(named("b")), ["a", "b"], []],
    ["is unread if a part is", "expired", undefined, [{ what: "pods", resource: "pods" }]],
  ])("%s", async (_, part, names, missing) => {
    const { pods, unread } = await seen({ ...begun, [rest]: part });
    expect(pods?.map(({ metadata }) => metadata.name)).toEqual(names);
    expect(unread).toMatchObject(missing);
  });

  it.each([
    [1, 1000],
    [400, 500],
    [100_000, 10],
  ])("of %i pods in kube-system, %i lines of each log are read", (count, lines) => {
    const metadata = { name: "a", namespace: "kube-system" };
    const aPod = { apiVersion: "v1", kind: "Pod", metadata, spec: { containers: [] } };
    const pods = Array.from({ length: count }, () => aPod);
    expect(linesOfEach({ pods, dnsNamespaces: ["kube-system"] })).toBe(lines);
  });

  it("keeps of pods and nodes what is looked at", async () => {
    const annotations = { "cluster-dns/tenant-dns": "true" };
    const kept = { name: "a", labels: { tenant: "b" }, annotations: { ...annotations, other: "c" } };
    const metadata = { ...kept, managedFields: [{ manager: "kubelet" }] };
    const ofDns = { nodeName: "node-1", dnsPolicy: "None", dnsConfig: { nameservers: ["10.96.0.10"] } };
    const spec = {
      ...ofDns,
      volumes: [{ name: "v" }],
      containers: [{ name: "c", image: "busybox", env: [{ name: "A", value: "b" }] }],
    };
    const status = { phase: "Running", podIP: "10.0.0.1", containerStatuses: [{ name: "c", ready: true, state: {} }] };
    const { pods, nodes } = await seen({
      "/api/v1/pods": list(
        { metadata: { ...metadata, namespace: "web" }, spec, status },
        { metadata: { ...metadata, name: "b", namespace: "web" }, spec, status },
        { metadata: { ...metadata, namespace: "kube-system" }, spec, status },
      ),
      "/api/v1/nodes": list({ metadata, spec: {}, status: { images: [{ names: ["a"] }], conditions: [] } }),
    });
    const [web, another, dns] = pods ?? [];
    expect(web).toEqual({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "a", namespace: "web", annotations },
      spec: { ...ofDns, containers: [{ name: "c", image: "busybox" }] },
      status: { phase: "Running" },
    });
    // What a workload's pods have in common is in memory once.
    expect(another?.spec.containers).toBe(web?.spec.containers);
    expect(dns).toMatchObject({ spec, status });
    expect(nodes).toEqual([{ apiVersion: "v1", kind: "Node", metadata: kept, spec: {}, status: { conditions: [] } }]);
  });
});

it.each<[why: string | undefined, service: object | undefined, endpoints: readonly object[]]>([
  ["does not exist", undefined, []],
  ["has no ready endpoint", { spec: {} }, []],
  ["has no ready endpoint", { spec: {} }, [{ addresses: ["10.0.0.1"], conditions: { ready: false } }]],
  [undefined, { spec: {} }, [{ addresses: ["10.0.0.1"], conditions: { ready: true } }]],
])("a Service of any namespace without which no pod is admitted: it %s", async (why, service, endpoints) => {
  const rules = [{ apiGroups: [""], operations: ["CREATE"], resources: ["pods"] }];
  const called = { name: "a", clientConfig: { service: { name: "gate", namespace: "web" } }, rules };
  const configurations = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
  const slices =
    "/apis/discovery.k8s.io/v1/namespaces/web/endpointslices?labelSelector=kubernetes.io%2Fservice-name%3Dgate";
  const pages = {
    [configurations]: list({ metadata: { name: "somebody" }, webhooks: [called] }),
    "/api/v1/namespaces/web/services/gate": { metadata: { name: "gate" }, ...service },
    [slices]: list({ metadata: { name: "gate-1" }, endpoints }),
  };
  const none: Answer = { failure: "not found", status: 404, missing: "gate" };
  const state = await seen(pages, undefined, (path) =>
    path.endsWith("/services/gate") && !service ? none : undefined,
  );
  expect([...state.called]).toEqual([["web/gate", why]]);
  expect(state.unread).toEqual([]);
});
