import { LocalApiServer } from "../../rig/admission/local-api-server";
import { pathOf } from "../../rig/admission/path-of";
import { WebhookProcess } from "../../rig/admission/webhook-process";
import { reportFigure } from "../../rig/figures/report.mjs";
import { cpuTicks } from "../../rig/kernel/footprint";
import { until } from "../../rig/until";
import { renderCluster } from "../../src/charts/render-cluster";
import type { WebhookConfig } from "../../src/model/admission/webhook/webhook-config";
import { clusterOf } from "../../src/model/cluster/cluster";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";
import { load, percentiles } from "./load";
import { tenancy, typicalPod } from "./pod";

const perSecond = 200;
const seconds = 20;
const turns = 5;
const warmUpSeconds = 5;

/** An API server, and what decides beside it. */
interface Contender {
  readonly name: string;
  readonly api: LocalApiServer;
  readonly webhook?: WebhookProcess;
}

interface Measured {
  readonly times: number[];
  cpuMs: number;
}

/** What a pod's creation costs at a real API server, by who sets the DNS of tenants' pods. Dry runs: nothing is stored. */
export async function atApiServer(): Promise<void> {
  const contenders: Contender[] = [];
  try {
    contenders.push({ name: nobody, api: await LocalApiServer.start() });
    contenders.push(await withPolicies());
    contenders.push(await withWebhook());
    const namespaces = [tenancy.tenants[50]?.namespaces[0] ?? "", free];
    for (const { api } of contenders)
      for (const name of namespaces) await api.must("POST", "/api/v1/namespaces", { metadata: { name } });
    for (const contender of contenders.slice(1)) await untilDecided(contender, namespaces[0] ?? "");
    console.log(
      `\nCreation of a pod at the API server, ${perSecond} a second, ${seconds} s, CPU with the webhook's.\n\n` +
        "| decided by | pod | p50, ms | p99 | CPU for each, ms |\n|---|---|---|---|---|",
    );
    for (const namespace of namespaces) await compare(contenders, namespace);
  } finally {
    for (const { api, webhook } of contenders) await Promise.all([api.stop(), webhook?.stop()]);
  }
}

const nobody = "nobody";

/** A namespace of no tenant, whose pods are looked at and stay as they are. */
const free = "free";

async function withPolicies(): Promise<Contender> {
  const api = await LocalApiServer.start();
  for (const object of objectsOf("admission-policies", "policies")) await api.apply(pathOf(object), object);
  return { name: "policies", api };
}

async function withWebhook(): Promise<Contender> {
  const api = await LocalApiServer.start();
  const objects = objectsOf("webhook", "webhook");
  const config = objects.find(({ kind }) => kind === "ConfigMap")?.data?.["config.json"] ?? "";
  const {
    port: _port,
    probePort: _probePort,
    certificates: _certificates,
    ...decides
  } = JSON.parse(config) as WebhookConfig;
  const webhook = await WebhookProcess.start(decides);
  const caBundle = Buffer.from(webhook.authority ?? "").toString("base64");
  const reachable = objects
    .filter(({ webhooks }) => webhooks)
    .map(({ webhooks = [], ...object }) => ({
      ...object,
      webhooks: webhooks.map(({ clientConfig, ...entry }) => ({
        ...entry,
        clientConfig: { url: `https://localhost:${webhook.port}${clientConfig.service.path}`, caBundle },
      })),
    }));
  for (const object of reachable) await api.apply(pathOf(object), object);
  return { name: "webhook", api, webhook };
}

interface Rendered {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly data?: { readonly [key: string]: string };
  readonly webhooks?: readonly { readonly clientConfig: { readonly service: { readonly path: string } } }[];
}

function objectsOf(component: string, enforcement: "policies" | "webhook"): readonly Rendered[] {
  const props: ClusterDnsProps = {
    clusterDNS: ["10.96.0.10"],
    kubeProxyMode: "iptables",
    kubernetesVersion: "1.37",
    agentImage: "registry.example/agent:1",
    nodeLocalDNS: { state: "disabled" },
    tenancy,
    admission: { allowedUsers: ["admin"], enforcement },
  };
  const found = renderCluster(clusterOf(props)).components.find(({ name }) => name === component);
  if (!found) throw new Error(`nothing is rendered for ${component}`);
  return found.objects;
}

async function untilDecided({ name, api }: Contender, namespace: string): Promise<void> {
  await until(`the ${name}`, 60, async () => {
    const { spec } = (await create(api, namespace)) as { spec: { dnsPolicy: string } };
    return spec.dnsPolicy === "None";
  });
}

function create(api: LocalApiServer, namespace: string): Promise<unknown> {
  return api.must("POST", `/api/v1/namespaces/${namespace}/pods?dryRun=All`, typicalPod);
}

async function compare(contenders: readonly Contender[], namespace: string): Promise<void> {
  const measured = new Map(contenders.map(({ name }) => [name, { times: [], cpuMs: 0 } as Measured]));
  for (const { api } of contenders) await load(() => create(api, namespace), perSecond, warmUpSeconds);
  // In turn, so that other load on the machine affects all.
  for (let turn = 0; turn < turns; turn++)
    for (const contender of contenders) {
      const before = cpuMsOf(contender);
      const times = await load(() => create(contender.api, namespace), perSecond, seconds / turns);
      const total = measured.get(contender.name);
      total?.times.push(...times);
      if (total) total.cpuMs += cpuMsOf(contender) - before;
    }
  const bare = of(nobody);
  for (const { name } of contenders) {
    const { p50, p99, cpuMs } = of(name);
    const whose = namespace === free ? "of no tenant" : "of a tenant";
    console.log(`| ${name} | ${whose} | ${p50.toFixed(2)} | ${p99.toFixed(2)} | ${cpuMs.toFixed(2)} |`);
    if (name !== nobody)
      reportFigure({
        what: `a pod ${whose} at the API server, ${name}: CPU`,
        kind: "ratio",
        value: cpuMs / bare.cpuMs,
        unit: "x without",
      });
  }

  function of(name: string) {
    const { times, cpuMs } = measured.get(name) ?? { times: [], cpuMs: NaN };
    return { ...percentiles(times), cpuMs: cpuMs / times.length };
  }
}

function cpuMsOf({ api, webhook }: Contender): number {
  const pids = [api.processes.at(-1)?.pid, webhook?.child.pid].filter((pid) => pid !== undefined);
  return pids.reduce((sum, pid) => sum + cpuTicks(pid) * 10, 0);
}
