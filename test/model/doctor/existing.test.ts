import { expect, it } from "vitest";
import type { EndpointSlice, Pod, Service, Workload } from "../../../src/model/kubernetes/kinds";
import type { DnsServiceOptions } from "../../../src/model/props/dns-service";
import * as edit from "./edit";
import { type Change, commands, described, findingsOf, type Healthy, pod, props } from "./healthy";

const namespace = "openshift-dns";
const labels = { "dns.operator.openshift.io/daemonset-dns": "default" };
const said: DnsServiceOptions = { namespace, name: "dns-default", selector: labels, targetPort: 5353 };

function from(service: DnsServiceOptions | undefined = said) {
  return described({ ...props, authoritativeDNS: { kind: "Existing", ...(service && { service }) } });
}

const metadata = { name: "dns-default", namespace };
const port = { port: 53, protocol: "UDP", targetPort: "dns", name: "dns" };
const service: Service = {
  apiVersion: "v1",
  kind: "Service",
  metadata,
  spec: {
    clusterIP: "10.96.0.10",
    clusterIPs: ["10.96.0.10"],
    selector: labels,
    ports: [port, { ...port, protocol: "TCP", targetPort: "dns-tcp", name: "dns-tcp" }],
  },
};

const ports = ["dns", "dns-tcp"].map((name) => ({ name, containerPort: 5353 }));
const container = { name: "dns", image: "registry.example/coredns:v4.17", ports };
const workload = edit.merged(edit.daemonSet("dns-default", container) as never, {
  metadata,
  spec: { selector: { matchLabels: labels } },
  status: { desiredNumberScheduled: 2 },
}) as unknown as Workload;

const pods = ["node-1", "node-2"].map((nodeName, i): Pod => {
  const ownerReferences = [{ kind: "DaemonSet", name: "dns-default" }];
  const made = pod(`dns-default-${i}`, namespace, { containers: [container], nodeName }, { labels, ownerReferences });
  return { ...made, status: { ...made.status, podIP: `10.128.0.${i}` } };
});

const slice: EndpointSlice = {
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  metadata: { ...metadata, labels: { "kubernetes.io/service-name": "dns-default" } },
  endpoints: [{ addresses: ["10.128.0.0", "10.128.0.1"], conditions: { ready: true } }],
  ports: [
    { name: "dns", protocol: "UDP", port: 5353 },
    { name: "dns-tcp", protocol: "TCP", port: 5353 },
  ],
};

/** What a cluster has for its own DNS. */
type OwnDns = Pick<Healthy, "services" | "endpointSlices" | "workloads" | "pods">;

const own: OwnDns = { services: [service], endpointSlices: [slice], workloads: [workload], pods };

function found(change: Partial<OwnDns> = {}, as?: DnsServiceOptions, more: Change = {}) {
  const file = from(as);
  const lists = Object.entries({ ...own, ...change }).map(([list, all]) =>
    edit.adding(list as keyof OwnDns, all, file),
  );
  return findingsOf(Object.assign({}, ...lists, more) as Change, file);
}

it("is well", () => expect(found()).toEqual([]));

const where = "Service openshift-dns/dns-default";
const down = pods.map((each) => ({ ...each, status: { phase: "Running", podIP: "10.128.0.0" } }));
const oneDown = [...down.slice(0, 1), ...pods.slice(1)];
it.each<[id: string, of: string, change: Partial<OwnDns>]>([
  ["missing", where, { services: [] }],
  ["differs", where, { services: [{ ...service, spec: { ...service.spec, clusterIPs: ["10.96.0.53"] } }] }],
  ["no-endpoint", where, { endpointSlices: [{ ...slice, endpoints: [] }] }],
  ["stale-endpoints", where, { endpointSlices: [{ ...slice, endpoints: [{ addresses: ["10.128.0.0"] }] }] }],
  ["not-ready", "pod openshift-dns/dns-default-0 on node-1 of DaemonSet dns-default", { pods: oneDown }],
])("%s", (id, of, change) => {
  const findings = found(change);
  expect(findings).toMatchObject([{ id, where: of }]);
  expect(commands(findings[0]).join("\n")).not.toMatch(/ -n (?!openshift-dns\b)/);
});

const file = "the cluster file says";
it.each<[evidence: string, service: DnsServiceOptions]>([
  [`targetPort is 5353, ${file} 53`, { ...said, targetPort: 53 }],
  [`portNames is {"tcp":"dns-tcp"}, ${file} {"udp":"dns","tcp":"tcp"}`, { ...said, portNames: { tcp: "tcp" } }],
  [`selector is ${JSON.stringify(labels)}, ${file} {"k8s-app":"x"}`, { ...said, selector: { "k8s-app": "x" } }],
  [`name is "dns-default", ${file} "dns"`, { ...said, name: "dns" }],
])("is described otherwise: %s", (evidence, as) => {
  const [finding, ...more] = found({}, as);
  expect(more).toEqual([]);
  expect(finding).toMatchObject({ id: "dns-service-elsewhere", evidence: [evidence] });
  expect(commands(finding).at(-1)).toContain(`service: ${JSON.stringify({ ...said })}`);
});

it("may be elsewhere if the cluster file does not describe it", () => {
  expect(found({ services: [], endpointSlices: [], workloads: [], pods: [] }, {})).toMatchObject([
    { id: "dns-service-elsewhere", where: "Service kube-system/kube-dns" },
  ]);
});

it("is on a node that is down", () => {
  const conditions = [{ type: "Ready", status: "Unknown" }];
  expect(
    found({ pods: down }, said, edit.changing("nodes", /./, { status: { conditions } })).map(({ id }) => id),
  ).toContain("dns-node-not-ready");
});

it("has an account of its own", () => {
  const forbidden = 'plugin/kubernetes: services is forbidden: User "x" cannot list resource "services"';
  const asDns = pods.map((each) => ({ ...each, spec: { ...each.spec, serviceAccountName: "dns" } }));
  const [finding] = found({ pods: asDns }, said, edit.logged(forbidden, "dns-default-0", "dns"));
  expect(finding?.id).toBe("rights-refused");
  const account = "system:serviceaccount:openshift-dns:dns";
  expect(commands(finding)).toContain(`kubectl auth can-i list services --all-namespaces --as=${account}`);
});

it("has a policy that keeps caches out", () => {
  const text = "[ERROR] plugin/errors: 2 a. A: read udp 10.0.0.1:4->10.96.0.10:53: i/o timeout";
  const networkPolicies = [edit.policy("deny", labels, namespace)];
  const [finding] = found({}, said, {
    networkPolicies,
    ...edit.logged(`${text}\n${text}`, "node-local-dns-0", "node-cache"),
  });
  expect(finding?.id).toBe("cluster-dns-silent");
  expect(finding?.evidence.join()).toContain("NetworkPolicy openshift-dns/deny");
  expect(commands(finding)).toContain("kubectl get networkpolicy deny -o yaml -n openshift-dns");
});
