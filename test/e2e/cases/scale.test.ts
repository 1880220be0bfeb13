import { readFileSync } from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { clusterDns } from "../../../rig/cluster/addresses";
import { deploy } from "../../../rig/cluster/deploy";
import type { KubernetesObject } from "../../../rig/cluster/kubectl";
import { namespaceObject, pod, service } from "../../../rig/cluster/objects";
import type { Pod } from "../../../rig/cluster/pod";
import { load } from "../../../rig/load/load";
import { loadText } from "../../../rig/load/text";
import { until } from "../../../rig/until";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { expectNothingLost } from "../../expect-lost";
import { createMany } from "../lib/create-many";
import { useCluster } from "../lib/use-cluster";

const count = 10_000;
/** An API server on a busy two-core machine creates 50 Services a second: each has an IPAddress, too. */
const timeoutMs = 900_000;
const namespace = "many";
const props: ClusterDnsProps = {
  clusterDNS: [clusterDns.ipv4],
  kubeProxyMode: "nftables",
  nodeLocalDNS: { state: "disabled" },
};

interface ServiceObject extends KubernetesObject {
  readonly spec: { readonly clusterIP: string };
}

const cluster = useCluster({ proxyMode: "nftables" });
let client: Pod;

beforeAll(async () => {
  const { kubectl } = cluster();
  await kubectl.apply([namespaceObject(namespace), pod({ name: "client", node: "node-1" })]);
  await deploy(cluster(), props);
  await kubectl.run(["wait", "--for=condition=Ready", "pod/client", "--timeout=300s"]);
  client = await cluster().pod("client");
});

it(
  `answers for ${count} Services`,
  async () => {
    const { kubectl } = cluster();
    const few = await memory();
    const services = Array.from({ length: count }, (_, index) => service({ namespace, name: `service-${index}` }));
    await createMany(cluster(), `/api/v1/namespaces/${namespace}/services`, services);
    await until("the last Service", 60, async () => (await askAll([`service-${count - 1}`])).length === 1);

    const created = await kubectl.list<ServiceObject>("services", namespace);
    expect(created).toHaveLength(count);
    const sample = created.filter((_, index) => index % 10 === 0);
    const expected = sample.map(({ metadata, spec }) => `${metadata.name} ${spec.clusterIP}`);
    expect(await askAll(sample.map(({ metadata }) => metadata.name))).toEqual(expected);

    const names = sample.slice(0, 100).map(({ metadata }) => `${metadata.name}.${namespace}.svc.cluster.local`);
    const report = await load(client, { server: clusterDns.ipv4, names, seconds: 5 });
    console.log(`${count} Services: ${loadText(report)}`);
    expectNothingLost(report);
    const many = await memory();
    const secondsToStart = await restart(`service-${count - 1}`);
    const restarts = (await dnsPods()).map(({ status }) => status.containerStatuses?.[0]?.restartCount);
    expect(restarts).toEqual([0, 0]);
    console.log(JSON.stringify({ services: count, residentMiB: { few, many }, secondsToStart }));
  },
  timeoutMs,
);

/** `NAME ADDRESS` for each that has an answer. */
async function askAll(names: readonly string[], server: string = clusterDns.ipv4): Promise<string[]> {
  const questions = names.map((name) => `${name}.${namespace}.svc.cluster.local A`).join("\n");
  const printed = await client.exec(["dig", `@${server}`, "+noall", "+answer", "+tries=3", "-f", "-"], {
    input: `${questions}\n`,
  });
  return printed
    .split("\n")
    .filter(Boolean)
    .map((line) => line.split(/\s+/))
    .map(([name = "", , , , address = ""]) => `${name.split(".")[0]} ${address}`);
}

interface DnsPod extends KubernetesObject {
  readonly spec: { readonly nodeName: string };
  readonly status: {
    readonly podIP?: string;
    readonly containerStatuses?: readonly {
      readonly restartCount: number;
      readonly state: { readonly running?: object };
    }[];
  };
}

function dnsPods(): Promise<DnsPod[]> {
  return cluster().kubectl.list<DnsPod>("pods", "kube-system", "k8s-app=kube-dns");
}

/** For each CoreDNS. */
async function memory(): Promise<number[]> {
  return (await dnsPods()).map(({ metadata, spec }) => {
    const node = cluster().nodes.find(({ name }) => name === spec.nodeName);
    const status = readFileSync(`/proc/${node?.podProcess(metadata.uid ?? "")}/status`, "utf8");
    return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024);
  });
}

/** Replaces the pods; returns how long a new one takes from its start to its first answer, to a fifth of a second. */
async function restart(name: string): Promise<number> {
  const { kubectl } = cluster();
  const before = (await dnsPods()).map(({ metadata }) => metadata.uid);
  await kubectl.run(["rollout", "restart", "-n", "kube-system", "deployment/coredns"]);
  const started = await until(
    "a new pod",
    60,
    async () =>
      (await dnsPods()).find(
        ({ metadata, status }) => !before.includes(metadata.uid) && status.containerStatuses?.[0]?.state.running,
      ),
    100,
  );
  const from = Date.now();
  await until("its answer", 60, async () => (await askAll([name], started.status.podIP)).length === 1, 100);
  const seconds = Math.round((Date.now() - from) / 100) / 10;
  await kubectl.rolledOut("deployment", "coredns", "kube-system", 180);
  await until("the end of the old pods", 60, async () => (await dnsPods()).length === 2);
  return seconds;
}
