import { once } from "node:events";
import { X509Certificate } from "node:crypto";
import { describe, expect, it, type TestContext } from "vitest";
import type { WebhookConfig } from "../../../src/model/admission/webhook/webhook-config";
import { FakeApiServer } from "../kube/fake-api-server";
import { everything, podReview, response, review } from "./reviews";
import { until } from "../../../rig/until";
import { serverName, WebhookProcess } from "../../../rig/admission/webhook-process";

const secretPath = "/api/v1/namespaces/kube-system/secrets/cluster-dns-webhook";
const configurationPath = (resource: string) => `/apis/admissionregistration.k8s.io/v1/${resource}/cluster-dns-webhook`;
const resources = ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"] as const;
const selfManaged: WebhookConfig["certificates"] = {
  kind: "self-managed",
  secret: { namespace: "kube-system", name: "cluster-dns-webhook" },
  dnsNames: [serverName],
  configurations: resources.map((resource) => ({ resource, name: "cluster-dns-webhook" })),
};
const metadata = { name: "cluster-dns-webhook" };
const placementGuard = { namespace: "kube-system", names: ["coredns"] };

/** An API server of a test's own, for the webhooks that it starts: they wait for seconds, and do so beside each other. */
class World {
  readonly started: WebhookProcess[] = [];

  private constructor(readonly api: FakeApiServer) {}

  static async of({ onTestFinished }: TestContext): Promise<World> {
    const world = new World(await FakeApiServer.start());
    onTestFinished(() => world.end());
    const { api } = world;
    api.set(secretPath, { metadata, type: "Opaque" });
    for (const resource of resources) {
      api.set(configurationPath(resource), { metadata, webhooks: [{ name: "a.example", clientConfig: {} }] });
    }
    api.set("/api/v1/nodes/a", { metadata: { name: "a", labels: { zone: "earth" } }, spec: {} });
    return world;
  }

  async start(config: Partial<WebhookConfig>): Promise<WebhookProcess> {
    const one = await WebhookProcess.start({ ...everything, ...config }, this.api.connection);
    this.started.push(one);
    return one;
  }

  private async end(): Promise<void> {
    for (const one of this.started) await one.stop();
    await this.api.stop();
  }
}

function knowsNodes(webhook: WebhookProcess): Promise<void> {
  return webhook.until("nodes are known", async () =>
    (await webhook.probe("/metrics")).includes("cluster_dns_webhook_known_nodes 1"),
  );
}

function caBundle({ api }: World, resource: string): string {
  type Configuration = { webhooks: { clientConfig: { caBundle?: string } }[] };
  const [first] = (api.get(configurationPath(resource)) as unknown as Configuration).webhooks;
  return Buffer.from(first?.clientConfig.caBundle ?? "", "base64").toString();
}

describe.concurrent("agent webhook", () => {
  it("issues its certificate, has it trusted, and makes no call that its roles do not allow", async (context) => {
    const world = await World.of(context);
    const webhook = await world.start({ certificates: selfManaged, placementGuard });
    await knowsNodes(webhook);
    for (const resource of resources)
      expect(new X509Certificate(caBundle(world, resource)).subject).toMatch(/^CN=cluster-dns-webhook-ca-/);
    const ofResources = resources.map(configurationPath).flatMap((path) => [`GET ${path}`, `PATCH ${path}`]);
    const others = [`GET ${secretPath}`, `PUT ${secretPath}`, "GET /api/v1/nodes", "WATCH /api/v1/nodes"];
    expect(new Set(world.api.calls)).toEqual(new Set([...ofResources, ...others]));
  });

  it("is not ready without a certificate, says why, and becomes ready once the Secret exists", async (context) => {
    const world = await World.of(context);
    const { api } = world;
    api.delete(secretPath);
    const starting = world.start({ certificates: selfManaged });
    await until("a call for the Secret", 20, async () => api.calls.includes(`GET ${secretPath}`), 20);
    api.set(secretPath, { metadata: { name: "cluster-dns-webhook" }, type: "Opaque" });
    const webhook = await starting;
    expect(webhook.log()).toContain(`certificate: GET ${secretPath}: 404`);
  });

  it("refuses a placement that matches no node, and allows everything while it does not know the nodes", async (context) => {
    const world = await World.of(context);
    world.api.failWith = 403;
    const webhook = await world.start({ placementGuard });
    const object = { metadata: { name: "coredns" }, spec: { template: { spec: { nodeSelector: { zone: "moon" } } } } };
    const ask = async () =>
      response((await webhook.post("/placement", review("Deployment", { namespace: "kube-system", object }))).text);
    expect(await ask()).toMatchObject({ allowed: true });
    world.api.failWith = undefined;
    await knowsNodes(webhook);
    const message = expect.stringContaining('a: label zone is "earth", not "moon"') as string;
    expect(await ask()).toMatchObject({ allowed: false, message });
  });

  it("answers requests until it is removed from the Service, and exits with 0", async (context) => {
    const world = await World.of(context);
    const webhook = await world.start({});
    const ended = once(webhook.child, "exit");
    webhook.child.kill("SIGTERM");
    await webhook.until("it reports that it is stopping", async () =>
      (await webhook.probe("/readyz")).includes("is being stopped"),
    );
    expect((await webhook.post("/pods", podReview())).status).toBe(200);
    expect(await ended).toEqual([0, null]);
  });

  it("says what is wrong with its file, and exits with 1", async () => {
    await expect(WebhookProcess.start({ version: 2 as 1 })).rejects.toThrow(/version: 2 is not one of 1/);
  });
});
