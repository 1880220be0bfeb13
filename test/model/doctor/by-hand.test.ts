import { mutatingWebhooks, type WebhookEntry } from "../../../src/model/admission/webhook/webhook-configurations";
import { unlikeRendered } from "../../../src/model/kubernetes/unlike-rendered";
import { describe, expect, it } from "vitest";
import type { Pod, Workload } from "../../../src/model/kubernetes/kinds";
import {
  type Change,
  commands,
  described,
  event,
  findingsOf,
  found,
  healthy,
  idsOf,
  limitedTo,
  logged,
  merged,
  patched,
  policy,
  props,
  replaced,
} from "./healthy";

const is = healthy();
type PodSpec = Workload["spec"]["template"]["spec"];
type Container = PodSpec["containers"][number];

/** A workload whose pods have these fields. */
function template(name: string, of: (spec: PodSpec) => object): Change {
  const { spec } = is.workloads.find(({ metadata }) => metadata.name === name) ?? {};
  return { workloads: patched(is.workloads, name, { spec: { template: { spec: spec && of(spec.template.spec) } } }) };
}

function container(fields: object | ((container: Container) => object), name = "coredns"): Change {
  const of = (each: Container) => merged(each as never, (typeof fields === "object" ? fields : fields(each)) as never);
  return template(name, ({ containers }) => ({ containers: containers.map(of) }));
}

const ofCoreDns = (patch: object, state = is) => ({ workloads: patched(state.workloads, "coredns", patch) });

function service(spec: object): Change {
  return { services: patched(is.services, "kube-dns", { spec }) };
}

/** The pods with those of CoreDNS in this status. */
const pods = (status: NonNullable<Pod["status"]>) => patched(is.pods, /^coredns-/, { status });

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
    const [first, ...more] = found(change);
    expect(first).toMatchObject({
      id: "differs-aside",
      evidence: [expect.stringContaining(`spec.template.spec.${path} `)],
    });
    expect(more).toEqual([]);
  });

  const more = { name: "more", emptyDir: {} };
  const spreadOf = (spec: PodSpec) =>
    (spec as { topologySpreadConstraints?: object[] }).topologySpreadConstraints ?? [];
  it.each<[path: string, Change]>([
    ["containers.node-cache.env.A", container(({ env = [] }) => ({ env: [{ name: "A" }, ...env] }), "node-local-dns")],
    ...["constructor", "replicas"].map((name): [string, Change] => [
      `containers.coredns.env.${name}`,
      container(({ env = [] }) => ({ env: [...env, { name }] })),
    ]),
    ["volumes.more", template("coredns", ({ volumes = [] }) => ({ volumes: [...volumes, more] }))],
    ["imagePullSecrets", template("coredns", () => ({ imagePullSecrets: [{ name: "registry" }] }))],
    ["affinity.podAffinity", template("coredns", () => ({ affinity: { podAffinity: { a: 1 } } }))],
    [
      "topologySpreadConstraints.rack",
      template("coredns", (spec) => ({ topologySpreadConstraints: [...spreadOf(spec), { topologyKey: "rack" }] })),
    ],
  ])("has more than is rendered: %s", (path, change) => {
    expect(found(change)).toMatchObject([
      { id: "added-fields", evidence: [expect.stringContaining(`spec.template.spec.${path} `)] },
    ]);
  });

  it("has the same quantity in other words", () => {
    const resources = { requests: { cpu: "0.1", memory: "68157440" } };
    expect(found(container({ resources }))).toEqual([]);
  });

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

  it("is an error, before what its pods say, if one of them is not ready", () => {
    const change = container({ image: "registry.example/coredns:v1" });
    const ids = idsOf({ ...change, pods: pods({ conditions: notReady }) });
    expect(ids.slice(0, 2)).toEqual(["differs", "none-ready"]);
  });

  it("is told before what its pods say in their logs", () => {
    const change = template("coredns", () => ({ serviceAccountName: "default" }));
    const text = '2026-10-31T23:59:30.1Z services is forbidden: User "default" cannot list resource "services"';
    const ids = idsOf({ ...change, pods: pods({ conditions: notReady }), ...logged(text) });
    expect(ids.slice(0, 2)).toEqual(["differs", "rights-refused"]);
  });

  it("is no more than another configuration, if it has one: an earlier file was otherwise as well", () => {
    const change = template("coredns", ({ volumes = [] }) => ({
      dnsPolicy: "ClusterFirst",
      volumes: volumes.map(({ configMap, ...each }) => ({
        ...each,
        ...(configMap && { configMap: { ...configMap, name: "other" } }),
      })),
    }));
    const of = found(change).filter(({ where }) => where === "Deployment kube-system/coredns");
    expect(of.map(({ id }) => id)).toContain("other-configuration");
    expect(of.map(({ id }) => id)).not.toContain("differs-aside");
  });

  it.each<[string, object, string]>([
    ["publishNotReadyAddresses", { publishNotReadyAddresses: true }, '"/spec/publishNotReadyAddresses"'],
    ["type", { type: "LoadBalancer" }, '{"op":"add","path":"/spec/type","value":"ClusterIP"}'],
  ])("is a Service, and mended by a patch: %s", (field, change, operation) => {
    const all = found(service(change));
    expect(all).toMatchObject([{ id: "differs-aside", evidence: [expect.stringContaining(`spec.${field} is `)] }]);
    const [last] = commands(findingsOf(service(change))[0]).slice(-1);
    expect(last).toContain(operation);
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
  const otherRole = [kind, patched(is.asked.get(kind), "system:coredns", { roleRef: { name: "x" } })] as const;
  const otherSelector = { selector: { matchLabels: { app: "dns" } }, template: { spec: { volumes: [] } } };
  it.each<[what: string, Change, deleted: string]>([
    ["a binding's role", { asked: new Map([...is.asked, otherRole]) }, "clusterrolebinding system:coredns"],
    [
      "a Deployment's selector, whatever it mounts",
      ofCoreDns({ spec: otherSelector }),
      "deployment coredns --cascade=orphan",
    ],
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

  it("is a Service that kube-proxy leaves to another", () => {
    const label = "service.kubernetes.io/service-proxy-name";
    const services = patched(is.services, "kube-dns", { metadata: { labels: { [label]: "other" } } });
    expect(found({ services })).toMatchObject([{ id: "differs", evidence: [expect.stringContaining(label)] }]);
    const patch = '[{"op":"remove","path":"/metadata/labels/service.kubernetes.io~1service-proxy-name"}]';
    expect(commands(findingsOf({ services })[0]).at(-1)).toContain(patch);
  });

  it("is none for what the API server and kubectl add", () => {
    const change = template("coredns", ({ containers }) => ({
      schedulerName: "default-scheduler",
      restartPolicy: "Always",
      serviceAccount: "coredns",
      containers: containers.map((each) => ({ ...each, terminationMessagePath: "/dev/termination-log" })),
    }));
    expect(found({ ...change, ...service({ sessionAffinity: "None", internalTrafficPolicy: "Cluster" }) })).toEqual([]);
  });

  it("is an init container that became a sidecar, or the reverse", () => {
    const restarting = (restarts: object) => ({ template: { spec: { initContainers: [{ name: "a", ...restarts }] } } });
    const [once, always] = [restarting({}), restarting({ restartPolicy: "Always" })];
    expect(unlikeRendered(always, once, ["spec"])).toMatchObject([{ before: "Always" }]);
    expect(unlikeRendered(once, always, ["spec"])).toMatchObject([{ after: "Always" }]);
  });

  it("is none for the order of what has names", () => {
    const change = template("node-local-dns", ({ volumes = [], containers }) => ({
      volumes: volumes.toReversed(),
      containers: containers.map((each) => ({ ...each, env: (each.env ?? []).toReversed() })),
    }));
    expect(found(change)).toEqual([]);
  });

  it("is a memory limit where none is rendered", () => {
    const from = described({ ...props, authoritativeDNS: { resources: { requests: { cpu: "100m" } } } });
    const evidence = ["container coredns may use 20Mi, the cluster file renders no limit"];
    expect(found(limitedTo("20Mi", from), from)).toMatchObject([{ id: "low-memory-limit", evidence }]);
  });

  it("is a network policy, or an account", () => {
    const from = described({ ...props, networkPolicies: true });
    const { networkPolicies = [], asked } = healthy(from);
    const [first] = networkPolicies;
    const changed = patched(networkPolicies, first?.metadata.name ?? "", { spec: { egress: [{}] } });
    expect(found({ networkPolicies: changed }, from)).toMatchObject([{ id: "differs-aside" }]);
    const accounts = patched(asked.get("ServiceAccount"), "coredns", { automountServiceAccountToken: false });
    const all = findingsOf({ asked: new Map([...asked, ["ServiceAccount", accounts]]), networkPolicies }, from);
    const evidence = ["automountServiceAccountToken is false, the cluster file renders nothing there"];
    expect(all).toMatchObject([{ id: "rights", where: "ServiceAccount kube-system/coredns", evidence }]);
    expect(commands(all[0]).at(-1)).toContain('[{"op":"remove","path":"/automountServiceAccountToken"}]');
  });

  it("is about to be gone", () => {
    const services = patched(is.services, "kube-dns", { metadata: { deletionTimestamp: "2026-10-31T23:00:00Z" } });
    expect(found({ services })).toMatchObject([{ id: "differs", where: "Service kube-system/kube-dns" }]);
  });
});

// Quotas, priority classes, pod security, webhooks of others, networks: only events say which.
describe("a warning among the events", () => {
  it.each(["DaemonSet node-local-dns", "ReplicaSet coredns-5f9"])("of %s says what refuses its pods", (of) => {
    const [kind, name] = of.split(" ") as [string, string];
    const others = replaced(is.pods, new RegExp(`^${name.replace("-5f9", "")}-\\d$`), () => undefined);
    const events = [name, "other"].map((each) => event(kind, each, "Failed", "no"));
    const [first] = found({ pods: others, events });
    expect(first).toMatchObject({ id: "no-pods", evidence: [expect.anything(), "new pods are refused: Failed: no"] });
  });

  it("of a pod says what keeps it from being ready", () => {
    const events = [event("Pod", "coredns-0", "Failed", "no IP addresses available")];
    const [first] = found({ pods: pods({ conditions: notReady }), events });
    expect(first?.id).toBe("cannot-start");
    expect(first?.evidence).toContain("Failed: no IP addresses available");
  });
});

it("pods that a webhook has changed are told of once a rollout is over", () => {
  const mirrored = replaced(is.pods, /^coredns-/, ({ spec, ...pod }) => ({
    ...pod,
    spec: { ...spec, containers: spec.containers.map((each) => ({ ...each, image: "mirror.example/coredns:1" })) },
  }));
  const during = (updatedReplicas: number) => ({ pods: mirrored, ...ofCoreDns({ status: { updatedReplicas } }) });
  expect(found(during(1))).toEqual([]);
  const [changed, ...others] = found(during(2));
  expect([changed?.id, others]).toEqual(["changed-pods", []]);
  expect(changed?.evidence[1]).toContain("spec.containers.coredns.image is ");
});

const rolledOut = ofCoreDns({ status: { updatedReplicas: 2 } });

it("pods to which a webhook has added servers, which CoreDNS asks", () => {
  const asking = patched(is.pods, /^coredns-/, { spec: { dnsConfig: { nameservers: ["10.96.0.10"] } } });
  const [changed, ...others] = found({ ...rolledOut, pods: asking });
  expect([changed?.id, others]).toEqual(["changed-pods", []]);
  expect(changed?.evidence[1]).toContain("spec.dnsConfig is ");
});

const refused = { privileged: undefined, baseline: /^(?!.*coredns).*\/node-local-dns,/, restricted: /\/coredns/ };
it.each(Object.entries(refused))("pods that would be refused from now on, by Pod Security %s", (level, where) => {
  const labels = { "pod-security.kubernetes.io/enforce": level };
  const all = findingsOf({ namespaces: patched(is.namespaces, "kube-system", { metadata: { labels } }) });
  expect(all).toMatchObject(where ? [{ id: "refused-next", where: expect.stringMatching(where) }] : []);
  expect(all.map((each) => commands(each).at(-1))).toEqual(
    where ? ["kubectl label --overwrite namespace kube-system pod-security.kubernetes.io/enforce=privileged"] : [],
  );
});

it("a pod of the revision before, which leaves last, is not one that a webhook has changed", () => {
  const [old, ...others] = is.pods.filter(({ metadata }) => metadata.name.startsWith("coredns-"));
  if (!old) throw new Error("no pod of CoreDNS");
  const at = (pod: Pod, day: number, hash: string): Pod => ({
    ...pod,
    metadata: {
      ...pod.metadata,
      creationTimestamp: `2026-11-0${day}T00:00:00Z`,
      labels: { ...pod.metadata.labels, "pod-template-hash": hash },
      ownerReferences: [{ kind: "ReplicaSet", name: `coredns-${hash}` }],
    },
  });
  const [first] = old.spec.containers;
  if (!first) throw new Error("no container");
  const before = { ...old, spec: { ...old.spec, containers: [{ ...first, image: "coredns:before" }] } };
  const surging = [at(before, 1, "old"), ...others.map((pod) => at(pod, 2, "new"))];
  const rest = replaced(is.pods, /^coredns-/, () => undefined);
  const ids = (all: readonly Pod[]) => idsOf({ ...rolledOut, pods: [...rest, ...all] });
  expect(ids(surging)).not.toContain("changed-pods");
  const waiting = { ...first, ready: false, restartCount: 9, state: { waiting: { reason: "ImagePullBackOff" } } };
  const leaving = at({ ...before, status: { phase: "Running", containerStatuses: [waiting] } }, 1, "old");
  const all = found({ ...rolledOut, pods: [...rest, leaving, ...surging.slice(1)] });
  expect(all.find(({ id }) => id === "image-not-pulled")?.evidence.join()).not.toContain("coredns:before");
  expect(ids([at(before, 3, "newest"), ...surging.slice(1)])).toContain("changed-pods");
});

it("no pods are told of where only evicted ones are left", () => {
  expect(idsOf({ pods: pods({ phase: "Failed", reason: "Evicted", conditions: [] }) })).toContain("no-pods");
});

it("an old line of a pod that is about to end is old, although the pod is not ready any more", () => {
  const ending = patched(is.pods, "coredns-0", { metadata: { deletionTimestamp: "2026-10-31T23:59:59Z" } });
  const text = "2026-10-31T23:54:00.1Z [WARNING] plugin/kubernetes: starting server with unsynced Kubernetes API";
  const ids = idsOf({ pods: ending, ...logged(text) });
  expect(ids).toContain("earlier");
  expect(ids).not.toContain("api-unread");
});

// A binary with a capability that the container may not have.
it("a program that may not be executed is no firewall", () => {
  expect(found(logged("2026-10-31T23:59:30.1Z exec /coredns: operation not permitted"))).toEqual([]);
});

it.each([
  ["upstream-silent", "[ERROR] plugin/errors: 2 1.2. HINFO: read udp 10.244.0.2:4->192.0.2.53:53: connection refused"],
  ["api-unread", "[WARNING] plugin/kubernetes: starting server with unsynced Kubernetes API"],
])("%s names the network policy that may be why", (id, text) => {
  const [first] = found({ ...logged(`2026-10-31T23:59:30.1Z ${text}`), networkPolicies: [policy("deny")] });
  expect(first).toMatchObject({ id, evidence: expect.arrayContaining([expect.stringContaining("kube-system/deny")]) });
});

// A clock, a certificate or a token: CoreDNS stays ready, and answers from what it knew.
it.each(["Unauthorized", "tls: failed to verify certificate: x509: certificate has expired or is not yet valid"])(
  "an API server that CoreDNS does not trust, or that does not trust CoreDNS, is an error: %s",
  (why) => {
    const text = `2026-10-31T23:59:30.1Z E1126 reflector.go:205] "Failed to watch" err="failed to list *v1.Service: ${why}"`;
    expect(found(logged(text))).toMatchObject([{ id: "api-distrusted" }]);
  },
);
