import { X509Certificate } from "node:crypto";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { SelfManagedCertificates } from "../../../../src/model/admission/webhook/webhook-config";
import { KubeClient } from "../../../../src/agent/kube/client";
import { issue } from "../../../../src/agent/webhook/certificates/issue";
import { synchronize } from "../../../../src/agent/webhook/certificates/self-managed";
import { FakeApiServer } from "../../kube/fake-api-server";

const secretPath = "/api/v1/namespaces/kube-system/secrets/cluster-dns-webhook";
const configurationPath = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/cluster-dns-webhook";
const options: SelfManagedCertificates = {
  kind: "self-managed",
  secret: { namespace: "kube-system", name: "cluster-dns-webhook" },
  dnsNames: ["cluster-dns-webhook.kube-system.svc"],
  configurations: [{ resource: "mutatingwebhookconfigurations", name: "cluster-dns-webhook" }],
};
const start = new Date("2026-01-01T00:00:00Z");
const after = (days: number) => new Date(start.getTime() + days * 86_400_000);

let api: FakeApiServer;
let clients: KubeClient[];
beforeEach(async () => {
  api = await FakeApiServer.start();
  api.set(secretPath, { type: "Opaque", metadata: { name: "cluster-dns-webhook" } });
  configure({ service: { name: "w" } });
  clients = [1, 2, 3].map(() => new KubeClient(api.connection));
});
afterEach(async () => {
  clients.forEach((client) => client.close());
  await api.stop();
});

/** The configuration has these webhooks. */
function configure(clientConfig: object, name = "pods.example"): void {
  const webhooks = [
    { name, clientConfig },
    { name: "b.example", clientConfig: {} },
  ];
  api.set(configurationPath, { metadata: { name: "cluster-dns-webhook" }, webhooks });
}

const stored = () => [api.get(secretPath), api.get(configurationPath)];

/** With all clocks right. */
function synchronizeAt(now: Date, client = clients[0] as KubeClient): ReturnType<typeof synchronize> {
  api.date = now;
  return synchronize(client, options, now);
}

function trusted(): string[] {
  const { webhooks } = api.get(configurationPath) as unknown as { webhooks: { clientConfig: { caBundle: string } }[] };
  return webhooks.map(({ clientConfig }) => Buffer.from(clientConfig.caBundle, "base64").toString("utf8"));
}

function serves(certificate: string): boolean {
  const authorities = trusted().map((text) => text.match(/-----BEGIN[^-]+-----[^-]+-----END[^-]+-----/g) ?? []);
  return authorities.every((bundle) => bundle.some((one) => parsed(certificate).checkIssued(parsed(one))));
}

const known = new Map<string, X509Certificate>();

/** Parsed once: what is asked of them a thousand times takes seconds otherwise. */
function parsed(certificate: string): X509Certificate {
  const one = known.get(certificate) ?? new X509Certificate(certificate);
  known.set(certificate, one);
  return one;
}

it("three replicas that start together serve one certificate, which every configuration trusts", async () => {
  const results = await Promise.all(clients.map((client) => synchronizeAt(start, client)));
  const certificates = new Set(results.map(({ current }) => current.certificate));
  expect(certificates.size).toBe(1);
  expect(serves([...certificates][0] ?? "")).toBe(true);
});

it("changes and writes nothing while nothing is due", async () => {
  await synchronizeAt(start);
  const before = stored();
  api.calls.length = 0;
  await synchronizeAt(after(19), clients[1] as KubeClient);
  expect(stored()).toEqual(before);
  expect(api.calls).toEqual([`GET ${configurationPath}`, `GET ${secretPath}`]);
});

it("rotates for fifty days, and every served certificate is always trusted", async () => {
  const seen = new Set<string>();
  const served: string[] = [];
  for (let day = 0; day < 50; day++) {
    for (const [i, client] of clients.entries()) {
      served[i] = (await synchronizeAt(after(day), client)).current.certificate;
      for (const certificate of new Set(served)) {
        expect(serves(certificate)).toBe(true);
        expect(new Date(parsed(certificate).validTo) > after(day)).toBe(true);
        seen.add(certificate);
      }
    }
  }
  expect(seen.size).toBeGreaterThan(2);
});

it("restores a caBundle that someone removed", async () => {
  const { current } = await synchronizeAt(start);
  configure({});
  await synchronizeAt(start, clients[1] as KubeClient);
  expect(serves(current.certificate)).toBe(true);
});

it("trusts what served before for ten minutes, and then only its own", async () => {
  const [before, expired] = [await issue(options.dnsNames, start), await issue(options.dnsNames, after(-31))];
  const caBundle = Buffer.from(`${expired.authority}${before.authority}`).toString("base64");
  configure({ caBundle });
  const minutes = (count: number) => after(count / (24 * 60));
  for (const [i, now] of [start, minutes(1), minutes(9)].entries()) {
    const { current } = await synchronizeAt(now, clients[i] as KubeClient);
    expect(trusted()).toEqual([current.authority + before.authority, current.authority + before.authority]);
  }
  const { current } = await synchronizeAt(minutes(10));
  expect(trusted()).toEqual([current.authority, current.authority]);
});

it("does not patch a configuration by index if it has changed in between", async () => {
  await synchronizeAt(start);
  configure({});
  api.beforeWrite = () => {
    api.beforeWrite = undefined;
    configure({}, "new.example");
  };
  expect((await synchronizeAt(start)).published).toBe(false);
  expect((await synchronizeAt(start)).published).toBe(true);
});

it("works before the configurations exist, checks again soon, and reports a missing Secret", async () => {
  api.delete(configurationPath);
  expect(await synchronizeAt(start)).toMatchObject({ current: {}, published: false });
  api.delete(secretPath);
  await expect(synchronizeAt(start)).rejects.toThrow(`GET ${secretPath}: 404`);
});

it.each<[whose: string, own: Date, servers: Date]>([
  ["own clock is ahead", after(400), after(1)],
  ["own clock is behind", after(-400), after(1)],
  ["API server's clock is ahead", after(1), after(400)],
  ["API server's clock is behind", after(1), after(-400)],
])("a replica whose %s keeps a certificate that others consider valid", async (_whose, own, servers) => {
  const { current } = await synchronizeAt(start);
  const before = stored();
  api.date = servers;
  const { current: served, now } = await synchronize(clients[1] as KubeClient, options, own);
  expect({ served, now, written: stored() }).toEqual({ served: current, now: after(1), written: before });
});

it("the first certificate is issued by the clock of the API server, which verifies it", async () => {
  api.date = start;
  const { current } = await synchronize(clients[0] as KubeClient, options, after(-400));
  expect(new Date(new X509Certificate(current.certificate).validTo)).toEqual(after(30));
});
