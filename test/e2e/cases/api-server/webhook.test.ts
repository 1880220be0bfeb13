import fc from "fast-check";
import { createServer } from "node:https";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pathOf } from "../../../../rig/admission/path-of";
import { WebhookProcess } from "../../../../rig/admission/webhook-process";
import { until } from "../../../../rig/until";
import { issue } from "../../../../src/agent/webhook/certificates/issue";
import { renderCluster } from "../../../../src/charts/render-cluster";
import { refuseNamespace } from "../../../../src/model/admission/namespaces";
import type { PodDns } from "../../../../src/model/admission/pod-dns";
import { refuseChange } from "../../../../src/model/admission/protected-objects";
import type { WebhookConfig } from "../../../../src/model/admission/webhook/webhook-config";
import type { WebhookEntry } from "../../../../src/model/admission/webhook/webhook-configurations";
import { clusterOf } from "../../../../src/model/cluster/cluster";
import { changeRows } from "../../../model/admission/change-table";
import { allowed, labelled } from "../../../model/admission/namespace-table";
import { all, pods } from "../../../model/admission/pod-table";
import { createChangedObjects, createPod, dnsOf, expectAgreement, tryChange, tryNamespace } from "./questions";
import { useApiServer, applyTwice } from "../../lib/api-server";

/** Without a version, the webhook does everything. */
const cluster = clusterOf({
  clusterDNS: ["10.96.0.10"],
  kubeProxyMode: "iptables",
  agentImage: "registry.example/agent:1",
  tenancy: labelled,
  admission: {
    allowedUsers: allowed.users,
    allowedGroups: allowed.groups,
    placementGuard: true,
    podDNSConfig: { options: { ndots: 2, "single-request-reopen": true }, excludedNamespaces: all.excludedNamespaces },
  },
});
const namespaces: { readonly [name: string]: { readonly [label: string]: string } } = {
  bar2: { "example.com/tenant": "baz" },
  web: { "example.com/tenant": "qux" },
  other: { "example.com/tenant": "other" },
  free: {},
};

type Rendered = ReturnType<typeof renderCluster>["components"][number]["objects"][number] & {
  readonly webhooks?: readonly WebhookEntry[];
  readonly data?: { readonly [key: string]: string };
};

const api = useApiServer();
let webhook: WebhookProcess;
let objects: readonly Rendered[];
let podDns: PodDns;

beforeAll(async () => {
  for (const [name, labels] of Object.entries(namespaces))
    await api().must("POST", "/api/v1/namespaces", { metadata: { name, labels } });
  await createChangedObjects(api());
  await api().must("POST", "/api/v1/nodes", { metadata: { name: "a", labels: { zone: "earth" } } });
  // A node without a kubelet is tainted as not ready when it is created.
  await api().must("PATCH", "/api/v1/nodes/a", { spec: { taints: [] } }, "application/merge-patch+json");
  objects = renderCluster(cluster).components.find(({ name }) => name === "webhook")?.objects ?? [];
  podDns = cluster.admission?.webhook.podDns as PodDns;
  webhook = await startWebhook();
  // In the order of the manifests: the server first.
  const rendered = objects.map((object) => reachable(object));
  await applyTwice(api(), rendered);
  await webhook.until("it is trusted", isSet, 90);
});
afterAll(() => webhook?.stop());

/** Whether a tenant's pod gets its tenant's DNS. */
const isSet = async () => dnsOf(await createPod(api(), "bar2", { spec: {} })).dnsPolicy === "None";

/** A tenant's pod starts with ordinary DNS. */
async function expectStart(): Promise<void> {
  const answer = await createPod(api(), "bar2", { spec: {} });
  expect({ status: answer.status, ...dnsOf(answer) }).toMatchObject({ status: 201, dnsPolicy: "ClusterFirst" });
}

/** Starts it with exactly the rights that the manifests grant. */
async function startWebhook(): Promise<WebhookProcess> {
  const rights = objects.filter(({ kind }) => /^(ServiceAccount|.*Role.*|Secret)$/.test(kind));
  await applyTwice(api(), rights);
  const configMap = objects.find(({ kind }) => kind === "ConfigMap");
  const config = JSON.parse(configMap?.data?.["config.json"] ?? "") as WebhookConfig;
  const { certificates, port: _port, probePort: _probePort, ...decides } = config;
  const path = "/api/v1/namespaces/kube-system/serviceaccounts/cluster-dns-webhook/token";
  const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
  const { token } = (await api().must("POST", path, request))["status"] as { token: string };
  const connection = { host: "127.0.0.1", port: api().port, ca: api().authority, token: () => token };
  // Its name here differs from that in a cluster, see `reachable`.
  const isOwn = certificates.kind === "self-managed";
  const names = isOwn ? { ...certificates, dnsNames: [...certificates.dnsNames, "localhost"] } : certificates;
  return WebhookProcess.start({ ...decides, certificates: names }, connection);
}

/**
 * A Service needs kube-proxy; without it, the API server gets the address. It goes on after a second without the
 * webhook, which on a busy machine is no answer yet.
 */
function reachable(object: Rendered, timeout: { timeoutSeconds?: number } = { timeoutSeconds: 30 }): Rendered {
  if (!object.webhooks) return object;
  const webhooks = object.webhooks.map(({ clientConfig, ...entry }) => ({
    ...entry,
    ...timeout,
    clientConfig: { url: `https://localhost:${webhook.port}${clientConfig.service.path}` },
  }));
  return { ...object, webhooks } as unknown as Rendered;
}

const labelsOf = (name: string) => ({ name, labels: namespaces[name] ?? {} });

it("agrees with the pure function on generated pods", async () => {
  const namespace = fc.constantFrom(...Object.keys(namespaces));
  await fc.assert(
    fc.asyncProperty(namespace, pods, (name, pod) => expectAgreement(api(), podDns, labelsOf(name), pod, 403)),
    { numRuns: 200 },
  );
});

it.each(changeRows)("protected object: $name", async ({ change, refused, subresource }) => {
  const { status, body } = await tryChange(api(), change, subresource);
  const { protectedObjects } = cluster.admission?.webhook ?? {};
  const refusal = protectedObjects && refuseChange(change, protectedObjects);
  // The table's cluster also protects kubeadm's own ConfigMap and Cilium's Service; this one has neither.
  if (change.name !== "coredns" && change.name !== "kube-dns-upstream") expect(refusal !== undefined).toBe(refused);
  expect({ status, message: body.message }).toMatchObject({ status: refusal ? 403 : 200 });
  if (refusal) expect(body.message).toContain(refusal);
});

it.each(["status", "finalize"] as const)("namespaces: a tenant cannot be replaced through %s either", async (by) => {
  const [labels, oldLabels] = [{ "example.com/tenant": "qux" }, namespaces["bar2"]];
  const change = { operation: "UPDATE", name: "bar2", labels, oldLabels, requester: { username: "alice" } } as const;
  const { status, body } = await tryNamespace(api(), change, by);
  const message = expect.stringContaining(String(refuseNamespace(change, labelled, allowed)));
  expect({ status, message: body.message }).toMatchObject({ status: 403, message });
});

it.each(["Deployment", "DaemonSet"])("placement: refuses a %s that matches no node", async (kind) => {
  const workload = (nodeSelector: object) => {
    const [labels, spec] = [{ a: "b" }, { nodeSelector, containers: [{ name: "c", image: "c:1" }] }];
    const template = { metadata: { labels }, spec };
    return { metadata: { name: "coredns" }, spec: { selector: { matchLabels: labels }, template } };
  };
  const path = `/apis/apps/v1/namespaces/kube-system/${kind.toLowerCase()}s?dryRun=All`;
  await webhook.until("nodes are known", async () => (await webhook.probe("/metrics")).includes("known_nodes 1"));
  expect((await api().call("POST", path, workload({ zone: "earth" }))).status).toBe(201);
  const { status, body } = await api().call("POST", path, workload({ zone: "moon" }));
  const refusal = `${kind} coredns: node placement parameters match 0 of 1 nodes, DNS would run nowhere. nodeSelector {"zone":"moon"}`;
  expect({ status, message: body.message }).toEqual({ status: 403, message: expect.stringContaining(refusal) });
  expect((await api().call("POST", path.replace("kube-system", "free"), workload({ zone: "moon" }))).status).toBe(201);
});

it("may do with its Secret and its configurations exactly what it does", async () => {
  const name = "cluster-dns-webhook";
  const [user, namespace] = [`system:serviceaccount:kube-system:${name}`, "kube-system"];
  const group = "admissionregistration.k8s.io";
  const kinds = ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"];
  const resources = kinds.map((resource) => ({ group, resource }));
  const may: string[] = [];
  for (const resource of [...resources, { group: "", resource: "secrets", namespace }])
    for (const verb of ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "*"])
      for (const object of [name, "another", ""]) {
        const { status } = await api().must("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", {
          spec: { user, resourceAttributes: { ...resource, verb, name: object } },
        });
        if ((status as { allowed: boolean }).allowed) may.push(`${verb} ${resource.resource}/${object}`);
      }
  expect(may).toEqual([
    ...resources.flatMap(({ resource }) => [`get ${resource}/${name}`, `patch ${resource}/${name}`]),
    `get secrets/${name}`,
    `update secrets/${name}`,
  ]);
});

it("nothing changes if everything is applied again, caBundle included", async () => {
  const stored = () => Promise.all(objects.map((object) => api().must("GET", pathOf(object))));
  const before = await stored();
  for (const object of objects) await api().apply(pathOf(object), reachable(object));
  const after = await stored();
  expect(after).toEqual(before);
  const entries = after.flatMap(({ webhooks = [] }) => webhooks as { clientConfig: { caBundle?: string } }[]);
  expect(entries).not.toEqual([]);
  for (const { clientConfig } of entries) expect(clientConfig.caBundle).toMatch(/^LS0t/);
});

it("writes out every default of the API server in its configurations", async () => {
  for (const object of objects.filter(({ webhooks }) => webhooks)) {
    await api().apply(pathOf(object), reachable(object, {}));
    const stored = (await api().must("GET", pathOf(object)))["webhooks"] as { clientConfig: object }[];
    const without = (webhooks: readonly { clientConfig: object }[]) =>
      webhooks.map((entry) => ({ ...entry, clientConfig: undefined }));
    expect(without(stored)).toEqual(without(object.webhooks ?? []));
  }
});

describe("while it is frozen", () => {
  beforeAll(async () => {
    for (const object of objects) await api().apply(pathOf(object), reachable(object, {}));
    webhook.child.kill("SIGSTOP");
  });
  afterAll(() => void webhook.child.kill("SIGCONT"));

  it("pods start without it, after the timeout; what it never sees waits for nothing", async () => {
    const waits = async (call: () => Promise<{ status: number }>) => {
      const before = await failedOpen();
      const { status } = await call();
      return { status, waits: (await failedOpen()) - before };
    };
    const unseen = { status: 201, waits: 0 };
    for (const [namespace, spec, expected] of [
      ["bar2", {}, { status: 201, waits: 1 }],
      ["free", {}, { status: 201, waits: 1 }],
      ["free", { dnsPolicy: "Default" }, unseen],
      ["kube-system", {}, unseen],
    ] as const)
      expect([namespace, await waits(() => createPod(api(), namespace, { spec }))]).toEqual([namespace, expected]);
    const lease = { metadata: { name: "node" }, spec: { holderIdentity: "node" } };
    const path = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
    expect(await waits(() => api().call("POST", path, lease))).toEqual(unseen);
  });

  /** How often the API server has gone on without a webhook. */
  async function failedOpen(): Promise<number> {
    const { message = "" } = await api().must("GET", "/metrics");
    const counts = message.matchAll(/^apiserver_admission_webhook_fail_open_count\{.*\} (\d+)$/gm);
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  }

  it("the DNS Service and its Corefiles can be changed, after the timeout", async () => {
    const row = changeRows.find(({ name }) => name === "a port of the DNS Service");
    if (!row) throw new Error("the row has another name now");
    expect((await tryChange(api(), row.change)).status).toBe(200);
  });
});

it("works again once it is thawed", async () => {
  expect(await until("an answer of it", 30, isSet)).toBe(true);
});

it("pods start if it is dead", async () => {
  await webhook.stop();
  await expectStart();
  expect((await createPod(api(), "kube-system", { spec: {} })).status).toBe(201);
});

it("pods start if its certificate has expired", async () => {
  const expired = await issue(["localhost"], new Date(Date.now() - 40 * 86_400_000));
  let handshakes = 0;
  const server = createServer({ cert: expired.certificate, key: expired.key }, (_, response) => response.end());
  server.on("connection", () => handshakes++);
  await new Promise<void>((resolve) => server.listen(webhook.port, "127.0.0.1", resolve));
  const configuration = objects.find(({ kind }) => kind === "MutatingWebhookConfiguration");
  if (!configuration?.webhooks) throw new Error("no configuration");
  const value = Buffer.from(expired.authority).toString("base64");
  const path = (i: number) => `/webhooks/${i}/clientConfig/caBundle`;
  const trusts = configuration.webhooks.map((_, i) => ({ op: "add", path: path(i), value }));
  await api().must("PATCH", pathOf(configuration), trusts, "application/json-patch+json");
  await until("a question", 30, async () => {
    expect((await createPod(api(), "bar2", { spec: {} })).status).toBe(201);
    return handshakes > 0;
  });
  await expectStart();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
