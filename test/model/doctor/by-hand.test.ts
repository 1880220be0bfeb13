import { mutatingWebhooks, type WebhookEntry } from "../../../src/model/admission/webhook/webhook-configurations";
import { unlikeRendered } from "../../../src/model/kubernetes/unlike-rendered";
import { describe, expect, it } from "vitest";
import type { Pod, Workload } from "../../../src/model/kubernetes/kinds";
import * as edit from "./edit";
import { type Change, commands, described, event, findingsOf, found, healthy, idsOf, lastOf, props } from "./healthy";

const is = healthy();
type PodSpec = Workload["spec"]["template"]["spec"];
type Container = PodSpec["containers"][number];

/** A workload whose pods have these fields. */
function template(name: string, of: (spec: PodSpec) => object): Change {
  const { spec } = is.workloads.find(({ metadata }) => metadata.name === name) ?? {};
  return {
    workloads: edit.patched(is.workloads, name, { spec: { template: { spec: spec && of(spec.template.spec) } } }),
  };
}

function container(fields: object | ((container: Container) => object), name = "coredns"): Change {
  const of = (each: Container) =>
    edit.merged(each as never, (typeof fields === "object" ? fields : fields(each)) as never);
  return template(name, ({ containers }) => ({ containers: containers.map(of) }));
}

const ofCoreDns = (patch: object, state = is) => ({ workloads: edit.patched(state.workloads, "coredns", patch) });

function service(spec: object): Change {
  return { services: edit.patched(is.services, "kube-dns", { spec }) };
}

/** The pods with those of CoreDNS in this status. */
const pods = (status: NonNullable<Pod["status"]>) => edit.patched(is.pods, /^coredns-/, { status });

const podDNSConfig = { options: { ndots: 2 } };
const withWebhook = described({ ...props, admission: { allowedUsers: ["argo"], podDNSConfig } });
const ofWebhook = healthy(withWebhook);
const [
  {
    rules: [rule] = [],
    namespaceSelector: { matchExpressions: selected },
  },
] = mutatingWebhooks(withWebhook.cluster.admission?.webhook ?? {}) as [
  WebhookEntry & { readonly namespaceSelector: { readonly matchExpressions: readonly object[] } },
];

const notReady = [{ type: "Ready", status: "False" }];

// What is rendered is compared with what runs as a whole: nobody can list what somebody may change.
describe("an object that was changed by hand", () => {
  it.each<[path: string, Change]>([
    ["containers.coredns.image", container({ image: "registry.example/coredns:v1" })],
    ["containers.coredns.args[1]", container({ args: ["-conf", "/other"] })],
    ["containers.coredns.readinessProbe", container({ readinessProbe: undefined })],
    ["containers.coredns.resources.limits.cpu", container({ resources: { limits: { cpu: "10m" } } })],
    ["containers.proxy", template("coredns", ({ containers }) => ({ containers: [{ name: "proxy" }, ...containers] }))],
    // It takes the port from the node's cache.
    [
      "containers.coredns.ports.dns.hostPort",
      container(({ ports: [dns, ...others] = [] }) => ({ ports: [{ ...dns, hostPort: 53 }, ...others] })),
    ],
    ["dnsPolicy", template("coredns", () => ({ dnsPolicy: "ClusterFirst" }))],
    ["automountServiceAccountToken", template("coredns", () => ({ automountServiceAccountToken: false }))],
    ["nodeSelector.disk", template("node-local-dns", () => ({ nodeSelector: { disk: "ssd" } }))],
  ])("is named with its field: %s", (path, change) => {
    const evidence = [expect.stringContaining(`spec.template.spec.${path} `)];
    expect(found(change)).toMatchObject([{ id: "differs-aside", evidence }]);
  });

  const more = { name: "more", emptyDir: {} };
  const racks = template("coredns", (spec) => {
    const { topologySpreadConstraints: given = [] } = spec as { topologySpreadConstraints?: object[] };
    return { topologySpreadConstraints: [...given, { topologyKey: "rack" }] };
  });
  it.each<[path: string, Change]>([
    ["containers.node-cache.env.A", container(({ env = [] }) => ({ env: [{ name: "A" }, ...env] }), "node-local-dns")],
    ...["constructor", "replicas"].map((name): [string, Change] => [
      `containers.coredns.env.${name}`,
      container(({ env = [] }) => ({ env: [...env, { name }] })),
    ]),
    ["volumes.more", template("coredns", ({ volumes = [] }) => ({ volumes: [...volumes, more] }))],
    ["imagePullSecrets", template("coredns", () => ({ imagePullSecrets: [{ name: "registry" }] }))],
    ["affinity.podAffinity", template("coredns", () => ({ affinity: { podAffinity: { a: 1 } } }))],
    ["topologySpreadConstraints.rack", racks],
  ])("has more than is rendered: %s", (path, change) => {
    const evidence = [expect.stringContaining(`spec.template.spec.${path} `)];
    expect(found(change)).toMatchObject([{ id: "added-fields", evidence }]);
  });

  const ofServer = { schedulerName: "default-scheduler", restartPolicy: "Always", serviceAccount: "coredns" };
  it.each<[what: string, Change]>([
    ["the same quantity in other words", container({ resources: { requests: { cpu: "0.1", memory: "68157440" } } })],
    ["what the API server adds to a Service", service({ sessionAffinity: "None", internalTrafficPolicy: "Cluster" })],
    ["what the API server adds to pods", template("coredns", () => ofServer)],
    ["what the API server adds to a container", container({ terminationMessagePath: "/dev/termination-log" })],
    ["the order of volumes", template("node-local-dns", ({ volumes = [] }) => ({ volumes: volumes.toReversed() }))],
    ["the order of variables", container(({ env = [] }) => ({ env: env.toReversed() }), "node-local-dns")],
  ])("is none for %s", (_, change) => expect(found(change)).toEqual([]));

  it.each<[told: string | undefined, change: object]>([
    [undefined, { namespaceSelector: { matchExpressions: [...selected, { key: "a", operator: "DoesNotExist" }] } }],
    ["objectSelector.matchLabels ", { objectSelector: { matchLabels: { a: "b" } } }],
    ["rules[0].operations[0] ", { rules: [{ ...rule, operations: ["UPDATE"] }] }],
    ["matchConditions.", { matchConditions: [{ name: "never", expression: "false" }] }],
  ])("of a webhook, what it is asked about: %s", (told, change) => {
    const webhooks = ofWebhook.webhooks.map(({ webhooks: all, ...each }) => ({
      ...each,
      webhooks: all?.map((one) => (each.kind.startsWith("Mutating") ? { ...one, ...change } : one)),
    }));
    const [differs] = found({ webhooks: webhooks as never }, withWebhook).filter(({ id }) => id.startsWith("differs"));
    expect(differs?.id).toBe(told && "differs-aside");
    expect(differs?.evidence.join() ?? "").toContain(told ?? "");
  });

  const forbidden = 'services is forbidden: User "default" cannot list resource "services"';
  const refusing = edit.logged(`2026-10-31T23:59:30.1Z ${forbidden}`);
  it.each<[id: string, Change]>([
    ["none-ready", container({ image: "registry.example/coredns:v1" })],
    ["rights-refused", { ...template("coredns", () => ({ serviceAccountName: "default" })), ...refusing }],
  ])("is an error, before what its pods say if one of them is not ready: %s", (id, change) => {
    expect(idsOf({ ...change, pods: pods({ conditions: notReady }) }).slice(0, 2)).toEqual(["differs", id]);
  });

  it("is no more than another configuration, if it has one: an earlier file was otherwise as well", () => {
    const volumes = [{ configMap: { name: "other" } }];
    const change = template("coredns", () => ({ dnsPolicy: "ClusterFirst", volumes }));
    const of = found(change).filter(({ where }) => where === "Deployment kube-system/coredns");
    expect(of.map(({ id }) => id)).toEqual(["other-configuration", "older-pods"]);
  });

  const serviceProxy = "service.kubernetes.io/service-proxy-name";
  const ofOther = edit.changing("services", "kube-dns", { metadata: { labels: { [serviceProxy]: "other" } } });
  const unlabel = `{"op":"remove","path":"/metadata/labels/${serviceProxy.replace("/", "~1")}"}`;
  it.each<[string, Change, operation: string, id?: string]>([
    ["spec.publishNotReadyAddresses is ", service({ publishNotReadyAddresses: true }), '"/spec/publishNotReady'],
    ["spec.type is ", service({ type: "LoadBalancer" }), '{"op":"add","path":"/spec/type","value":"ClusterIP"}'],
    // kube-proxy leaves it to another.
    [serviceProxy, ofOther, unlabel, "differs"],
  ])("is a Service, and mended by a patch: %s", (field, change, operation, id = "differs-aside") => {
    expect(found(change)).toMatchObject([{ id, evidence: [expect.stringContaining(field)] }]);
    expect(lastOf(change)).toContain(operation);
  });

  const containersPath = "/spec/template/spec/containers";
  it.each<[what: string, Change, operations: object[]]>([
    ["paused", ofCoreDns({ spec: { paused: true } }), [{ op: "remove", path: "/spec/paused" }]],
    [
      "with a selector that no node fits",
      template("node-local-dns", ({ nodeSelector }) => ({ nodeSelector: { ...nodeSelector, "a/b": "c" } })),
      [{ op: "remove", path: "/spec/template/spec/nodeSelector/a~1b" }],
    ],
    [
      "with more in a list, whose end goes first",
      template("coredns", ({ containers: [each] }) => ({
        containers: [{ name: "a" }, { ...each, tty: true }, { name: "b" }],
      })),
      [
        ...["a", "coredns", "b"].map((value, i) => ({ op: "test", path: `${containersPath}/${i}/name`, value })),
        ...["2", "1/tty", "0"].map((at) => ({ op: "remove", path: `${containersPath}/${at}` })),
      ],
    ],
  ])("is mended by a patch of what applying keeps: %s", (_, change, operations) => {
    const patch = commands(findingsOf(change).find(({ id }) => id === "differs-aside")).at(-1);
    expect(JSON.parse(/ -p '(.*)' -n /.exec(patch ?? "")?.[1] ?? "")).toEqual(operations);
  });

  it("is committed as well where a controller applies, which may still have it", () => {
    const from = described({ ...props, gitops: { flux: {} } });
    const next = commands(findingsOf(ofCoreDns({ spec: { paused: true } }, healthy(from)), from)[0]);
    expect(next.slice(-2)).toEqual([expect.stringMatching(/^kubectl patch /), expect.stringMatching(/^# commit /)]);
  });

  it("loses what others added before what they changed is applied, and keeps what overlays add", () => {
    const change = container(({ env = [] }) => ({ image: "x:1", tty: true, env: [...env, { name: "MORE" }] }));
    const [patch, apply] = commands(findingsOf(change)[0]).slice(-2);
    expect(patch).toContain(`,{"op":"remove","path":"${containersPath}/0/tty"}]'`);
    expect(apply).toMatch(/^kubectl apply /);
  });

  const kind = "ClusterRoleBinding";
  const otherRole = [kind, edit.patched(is.asked.get(kind), "system:coredns", { roleRef: { name: "x" } })] as const;
  const otherSelector = { selector: { matchLabels: { app: "dns" } }, template: { spec: { volumes: [] } } };
  it.each<[what: string, Change, deleted: string]>([
    ["a binding's role", { asked: new Map([...is.asked, otherRole]) }, "clusterrolebinding system:coredns"],
    ["a Deployment's selector", ofCoreDns({ spec: otherSelector }), "deployment coredns --cascade=orphan"],
  ])("is deleted before applying, which cannot change it: %s", (_, change, deleted) => {
    const all = findingsOf(change).map((each) => commands(each));
    const of = all.find((each) => each.some((command) => command.startsWith(`kubectl delete ${deleted}`)));
    expect(of?.at(-1)).toMatch(/^kubectl apply /);
  });

  it("names whoever applies it, too", () => {
    const byHelm = { metadata: { annotations: { "meta.helm.sh/release-name": "dns" } }, spec: { paused: true } };
    const owner = "Helm may have changed it, and would again (meta.helm.sh/release-name=dns)";
    expect(found(ofCoreDns(byHelm))[0]?.evidence).toContain(owner);
    const byFlux = { metadata: { labels: { "kustomize.toolkit.fluxcd.io/name": "dns" } }, spec: { paused: true } };
    const from = described({ ...props, gitops: { flux: {} } });
    const told = found(ofCoreDns(byFlux, healthy(from)), from);
    expect(told.map(({ evidence }) => evidence.length)).toEqual([1]);
  });

  it("is an init container that became a sidecar, or the reverse", () => {
    const restarting = (restarts: object) => ({ template: { spec: { initContainers: [{ name: "a", ...restarts }] } } });
    const [once, always] = [restarting({}), restarting({ restartPolicy: "Always" })];
    expect(unlikeRendered(always, once, ["spec"])).toMatchObject([{ before: "Always" }]);
    expect(unlikeRendered(once, always, ["spec"])).toMatchObject([{ after: "Always" }]);
  });

  it("is a memory limit where none is rendered", () => {
    const from = described({ ...props, authoritativeDNS: { resources: { requests: { cpu: "100m" } } } });
    const evidence = ["container coredns may use 20Mi, the cluster file renders no limit"];
    expect(found(edit.limitedTo("20Mi", from), from)).toMatchObject([{ id: "low-memory-limit", evidence }]);
  });

  it("is a network policy, or an account", () => {
    const from = described({ ...props, networkPolicies: true });
    const { networkPolicies = [], asked } = healthy(from);
    const [first] = networkPolicies;
    const changed = edit.patched(networkPolicies, first?.metadata.name ?? "", { spec: { egress: [{}] } });
    expect(found({ networkPolicies: changed }, from)).toMatchObject([{ id: "differs-aside" }]);
    const accounts = edit.patched(asked.get("ServiceAccount"), "coredns", { automountServiceAccountToken: false });
    const all = findingsOf({ asked: new Map([...asked, ["ServiceAccount", accounts]]), networkPolicies }, from);
    const evidence = ["automountServiceAccountToken is false, the cluster file renders nothing there"];
    expect(all).toMatchObject([{ id: "rights", where: "ServiceAccount kube-system/coredns", evidence }]);
    expect(commands(all[0]).at(-1)).toContain('[{"op":"remove","path":"/automountServiceAccountToken"}]');
  });
});

// Quotas, priority classes, pod security, webhooks of others, networks: only events say which.
it.each(["DaemonSet node-local-dns", "ReplicaSet coredns-5f9"])("a warning of %s says what refuses its pods", (of) => {
  const [kind, name] = of.split(" ") as [string, string];
  const none = edit.lacking("pods", new RegExp(`^${name.replace("-5f9", "")}-\\d$`));
  const events = [name, "other"].map((each) => event(kind, each, "Failed", "no"));
  const [first] = found({ ...none, events });
  expect(first).toMatchObject({ id: "no-pods", evidence: [expect.anything(), "new pods are refused: Failed: no"] });
});

const rolledOut = ofCoreDns({ status: { updatedReplicas: 2 } });

it.each<[path: string, spec: object]>([
  ["spec.containers.coredns.image", { containers: [{ name: "coredns", image: "mirror.example/coredns:1" }] }],
  // CoreDNS asks the servers that it adds.
  ["spec.dnsConfig", { dnsConfig: { nameservers: ["10.96.0.10"] } }],
])("pods that a webhook has changed are told of once a rollout is over: %s", (path, spec) => {
  const changed = edit.patched(is.pods, /^coredns-/, { spec });
  expect(found({ pods: changed, ...ofCoreDns({ status: { updatedReplicas: 1 } }) })).toEqual([]);
  expect(found({ pods: changed, ...rolledOut })).toMatchObject([
    { id: "changed-pods", evidence: expect.arrayContaining([expect.stringContaining(`${path} is `)]) },
  ]);
});

const refused = { privileged: undefined, baseline: /^(?!.*coredns).*\/node-local-dns,/, restricted: /\/coredns/ };
it.each(Object.entries(refused))("pods that would be refused from now on, by Pod Security %s", (level, where) => {
  const labels = { "pod-security.kubernetes.io/enforce": level };
  const all = findingsOf({ namespaces: edit.patched(is.namespaces, "kube-system", { metadata: { labels } }) });
  expect(all).toMatchObject(where ? [{ id: "refused-next", where: expect.stringMatching(where) }] : []);
  expect(all.map((each) => commands(each).at(-1))).toEqual(
    where ? ["kubectl label --overwrite namespace kube-system pod-security.kubernetes.io/enforce=privileged"] : [],
  );
});

it("a pod of the revision before, which leaves last, is not one that a webhook has changed", () => {
  const ofRevision = (hash: string, day: number, all = is.pods, name = "coredns-1", more: object = {}) => {
    const ownerReferences = [{ kind: "ReplicaSet", name: `coredns-${hash}` }];
    const labels = { "pod-template-hash": hash };
    const metadata = { creationTimestamp: `2026-11-0${day}T00:00:00Z`, labels, ownerReferences };
    return edit.patched(all, name, { metadata, ...more });
  };
  const spec = { containers: [{ name: "coredns", image: "coredns:before" }] };
  const beside = (hash: string, day: number, more: object = {}) =>
    found({ ...rolledOut, pods: ofRevision(hash, day, ofRevision("new", 2), "coredns-0", { spec, ...more }) });
  const changed = expect.objectContaining({ id: "changed-pods" }) as unknown;
  expect(beside("old", 1)).not.toContainEqual(changed);
  expect(beside("newest", 3)).toContainEqual(changed);
  const waiting = { name: "coredns", restartCount: 9, state: { waiting: { reason: "ImagePullBackOff" } } };
  const leaving = beside("old", 1, { status: { conditions: [], containerStatuses: [waiting] } });
  expect(leaving.find(({ id }) => id === "image-not-pulled")?.evidence.join()).not.toContain("coredns:before");
});

it("no pods are told of where only evicted ones are left", () => {
  expect(idsOf({ pods: pods({ phase: "Failed", reason: "Evicted", conditions: [] }) })).toContain("no-pods");
});

it("an old line of a pod that is about to end is old, although the pod is not ready any more", () => {
  const ending = edit.changing("pods", "coredns-0", { metadata: { deletionTimestamp: "2026-10-31T23:59:59Z" } });
  const text = "2026-10-31T23:54:00.1Z [WARNING] plugin/kubernetes: starting server with unsynced Kubernetes API";
  const ids = idsOf({ ...ending, ...edit.logged(text) });
  expect(ids).toContain("earlier");
  expect(ids).not.toContain("api-unread");
});

it.each([
  ["upstream-silent", "[ERROR] plugin/errors: 2 1.2. HINFO: read udp 10.244.0.2:4->192.0.2.53:53: connection refused"],
  ["api-unread", "[WARNING] plugin/kubernetes: starting server with unsynced Kubernetes API"],
])("%s names the network policy that may be why", (id, text) => {
  const [first] = found({ ...edit.logged(`2026-10-31T23:59:30.1Z ${text}`), networkPolicies: [edit.policy("deny")] });
  expect(first).toMatchObject({ id, evidence: expect.arrayContaining([expect.stringContaining("kube-system/deny")]) });
});

// A clock, a certificate or a token: CoreDNS stays ready, and answers from what it knew.
it.each(["Unauthorized", "tls: failed to verify certificate: x509: certificate has expired or is not yet valid"])(
  "an API server that CoreDNS does not trust, or that does not trust CoreDNS, is an error: %s",
  (why) => {
    const text = `2026-10-31T23:59:30.1Z E1126 reflector.go:205] "Failed to watch" err="failed to list *v1.Service: ${why}"`;
    expect(found(edit.logged(text))).toMatchObject([{ id: "api-distrusted" }]);
  },
);
