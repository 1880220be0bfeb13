import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, it } from "vitest";
import { startCertManager } from "../../../rig/cert-manager/start";
import { deploy } from "../../../rig/cluster/deploy";
import { namespaceObject, pod } from "../../../rig/cluster/objects";
import { consoleProgress } from "../../../rig/progress";
import { until } from "../../../rig/until";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { useCluster } from "../lib/use-cluster";
import { argv } from "../../../rig/argv";
import { podsOf, sumOf } from "../lib/programs";
import { uncached } from "../lib/usual";

const cluster = useCluster({ nodes: 1 });
const webhook = "cluster-dns-webhook";

function description(certificates: "self-managed" | "cert-manager"): ClusterDnsProps {
  return {
    ...uncached,
    kubernetesVersion: "1.37",
    tenancy: { tenants: [{ name: "baz", namespaces: ["bar"] }] },
    admission: { allowedUsers: ["admin"], enforcement: "webhook", webhook: { certificates } },
  };
}

beforeAll(async () => {
  await cluster().kubectl.apply([namespaceObject("bar")]);
  await startCertManager(cluster(), consoleProgress());
  await deploy(cluster(), description("cert-manager"));
  await until("a tenant's DNS", 90, async () => (await dnsPolicyOfNewPod()) === "None");
});

// In order, on one cluster. Kubelets take up to 90 s until pods have what a Secret has, and the webhook looks once a minute.
it.each(["self-managed", "cert-manager"] as const)(
  "every new pod has its tenant's DNS while certificates become %s",
  async (certificates) => {
    const policies = await whilePodsStart(() => deploy(cluster(), description(certificates)));
    expect(policies).toEqual(new Set(["None"]));
  },
);

it("every new pod has its tenant's DNS while cert-manager renews the authority, and then the certificate", async () => {
  const policies = await whilePodsStart(async () => {
    await renew(`${webhook}-ca`);
    await renew(webhook);
    await servedByAll(webhook);
  });
  expect(policies).toEqual(new Set(["None"]));
}, 300_000);

it("every new pod has its tenant's DNS on the way back, without the Secret of earlier certificates", async () => {
  await cluster().kubectl.delete("secret", webhook, "kube-system");
  const policies = await whilePodsStart(() => deploy(cluster(), description("self-managed")));
  expect(policies).toEqual(new Set(["None"]));
});

/** Creates pods without keeping them, before, during and after. @returns Their DNS policies. */
async function whilePodsStart(change: () => Promise<unknown>): Promise<Set<string | undefined>> {
  const policies = new Set<string | undefined>();
  let ended = false;
  const pods = (async () => {
    while (!ended) {
      policies.add(await dnsPolicyOfNewPod());
      await sleep(50);
    }
  })();
  await change();
  await sleep(5000);
  ended = true;
  await pods;
  return policies;
}

const agent = new Agent({ keepAlive: true });

async function dnsPolicyOfNewPod(): Promise<string | undefined> {
  const socketPath = cluster().names.file("control-plane", "api.sock");
  const path = "/api/v1/namespaces/bar/pods?dryRun=All";
  const headers = { host: "localhost", "content-type": "application/json" };
  const text = await new Promise<string>((resolve, reject) => {
    const asked = request({ socketPath, path, method: "POST", agent, headers }, async (answer) => {
      resolve(Buffer.concat(await answer.toArray()).toString("utf8"));
    });
    asked.on("error", reject);
    asked.end(JSON.stringify(pod({ name: "new", namespace: "bar" })));
  });
  const { spec } = JSON.parse(text) as { spec?: { dnsPolicy?: string } };
  if (spec === undefined) throw new Error(text);
  return spec.dnsPolicy;
}

/** As `cmctl renew` does, and waits until it is issued. */
async function renew(certificate: string): Promise<void> {
  const before = await revision(certificate);
  const condition = { type: "Issuing", status: "True", reason: "ManuallyTriggered", message: "renewed by hand" };
  const patch = [{ op: "add", path: "/status/conditions/-", value: condition }];
  await cluster().kubectl.run(argv`patch certificate.cert-manager.io ${certificate} -n kube-system
    --subresource=status --type=json --patch=${JSON.stringify(patch)}`);
  await until(`another ${certificate}`, 60, async () => (await revision(certificate)) === before + 1);
}

interface Certificate {
  readonly status?: { readonly revision?: number; readonly notAfter?: string };
}

function statusOf(name: string): Promise<Certificate | undefined> {
  return cluster().kubectl.get<Certificate>("certificate.cert-manager.io", name, "kube-system");
}

async function revision(certificate: string): Promise<number> {
  return (await statusOf(certificate))?.status?.revision ?? 0;
}

/** Waits until each pod of the webhook serves what the Certificate's Secret has. */
async function servedByAll(certificate: string): Promise<void> {
  const expiry = Date.parse((await statusOf(certificate))?.status?.notAfter ?? "") / 1000;
  await until("the webhook to serve it", 180, async () => {
    const expiries = (await podsOf(cluster(), webhook)).map(async ({ status }) => {
      const metrics = await cluster()
        .node(1)
        .exec(["curl", "-s", `http://${status?.podIP}:8080/metrics`]);
      return sumOf(metrics, /^cluster_dns_webhook_certificate_expiry_timestamp_seconds /);
    });
    const served = await Promise.all(expiries);
    if (served.every((each) => each === expiry)) return true;
    throw new Error(`${served.join(", ")} instead of ${expiry}`);
  });
}
