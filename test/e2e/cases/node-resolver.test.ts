import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import { deploy } from "../../../rig/cluster/deploy";
import { buildImages } from "../../../rig/cluster/images";
import type { KubernetesObject } from "../../../rig/cluster/kubectl";
import { namespaceObject, pod, service } from "../../../rig/cluster/objects";
import { consoleProgress } from "../../../rig/progress";
import { imageServer } from "../../../rig/registries";
import { tool } from "../../../rig/tools";
import { sleep, until } from "../../../rig/until";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { useCluster } from "../lib/use-cluster";
import { eventually } from "../../eventually";
import { podsOf } from "../lib/programs";
import { uncached } from "../lib/usual";

const namespace = "openshift-image-registry";
const registry = `image-registry.${namespace}.svc`;
const interval = 5;
/** The initial hosts file of the tests' nodes. */
const before = "127.0.0.1 localhost\n::1 localhost ip6-localhost\n";

const cluster = useCluster();
const props: ClusterDnsProps = {
  ...uncached,
  nodeResolver: { services: [registry], interval: `${interval}s` },
};

beforeAll(async () => {
  await cluster().kubectl.apply([
    namespaceObject(namespace),
    service({ name: "image-registry", namespace, spec: { clusterIP: "10.96.77.50" } }),
  ]);
  await deploy(cluster(), props);
});

it("lets the container runtime pull an image from the registry by the name of its Service", async () => {
  const { controlPlane, kubectl, names, nodes } = cluster();
  const at = "172.30.0.1:5000";
  mkdirSync(names.file("registry"));
  controlPlane.start("registry", imageServer(at, names.file("registry")));
  const [pause = ""] = await buildImages(consoleProgress());
  const push = [tool("crane", "crane"), "push", "--insecure", pause, `${at}/pause:pulled`];
  await until("the registry", 30, async () => (await controlPlane.attempt(push)).code === 0);
  // The registry is outside the cluster's pods, without TLS.
  await kubectl.apply([endpointsAt("172.30.0.1", 5000)]);
  for (const node of nodes) {
    const folder = node.diskFile(`etc/containerd/certs.d/${registry}:80`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "hosts.toml"), `server = "http://${registry}:80"\n`);
  }

  const containers = [{ name: "pulled", image: `${registry}:80/pause:pulled`, imagePullPolicy: "Always" }];
  await kubectl.apply(nodes.map(({ name }) => pod({ name: `pulled-${name}`, node: name, spec: { containers } })));
  const phases = async () =>
    (await kubectl.list("pods", "default")).map(({ status }) => (status as { phase: string }).phase);
  const running = nodes.map(() => "Running");
  await eventually("pulled images", 120, phases, running);
});

it("stays when DNS pods move, even on a node that all other pods must leave", async () => {
  const names = (await podsOf(cluster(), "node-resolver")).map(({ metadata }) => metadata.uid).sort();
  await deploy(cluster(), {
    ...props,
    authoritativeDNS: { nodePlacement: { nodeSelector: { "kubernetes.io/hostname": "node-2" } } },
  });
  await cluster().kubectl.run(["taint", "node", "node-1", "dns-only=:NoExecute"]);
  await sleep(5000);
  expect((await podsOf(cluster(), "node-resolver")).map(({ metadata }) => metadata.uid).sort()).toEqual(names);
  await cluster().kubectl.run(["taint", "node", "node-1", "dns-only-"]);
});

it("removes the entries on cleanup, and nothing else", async () => {
  await deploy(cluster(), { ...props, nodeResolver: { services: [registry], state: "removed" } });
  await expectHosts(before);
});

/** Endpoints of the registry's Service, which selects no pods. */
function endpointsAt(address: string, port: number): KubernetesObject {
  const labels = { "kubernetes.io/service-name": "image-registry" };
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: "image-registry", namespace, labels },
    addressType: "IPv4",
    endpoints: [{ addresses: [address] }],
    ports: [{ name: "http", port, protocol: "TCP" }],
  };
}

function hosts(): Promise<string[]> {
  return Promise.all(cluster().nodes.map((node) => node.exec(["cat", "/etc/hosts"])));
}

async function expectHosts(text: string): Promise<void> {
  const all = cluster().nodes.map(() => text);
  // CoreDNS may cache an answer for 30 seconds.
  await eventually("the nodes' hosts files", 30 + 3 * interval, hosts, all);
}
