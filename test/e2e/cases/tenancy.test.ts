import { beforeAll, expect, it } from "vitest";
import { deploy } from "../../../rig/cluster/deploy";
import { namespaceObject, service } from "../../../rig/cluster/objects";
import { clusterOf } from "../../../src/model/cluster/cluster";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { memberOf } from "../../../src/model/tenancy/membership";
import { podDnsConfig } from "../../../src/model/tenancy/pod-dns-config";
import { useCluster } from "../lib/use-cluster";
import { eventually } from "../../eventually";
import { uncached } from "../lib/usual";

const cluster = useCluster();
const props: ClusterDnsProps = {
  ...uncached,
  kubernetesVersion: "1.37",
  tenancy: {
    isolation: "hard",
    systemTenant: { name: "infra" },
    tenants: [
      { name: "baz", namespaces: ["bar", "bar2"] },
      { name: "acme", namespaces: ["web"] },
    ],
  },
};

/** Of Service `foo` in each namespace; `late` is no tenant's. */
const addresses = { bar: "10.96.78.1", bar2: "10.96.78.2", web: "10.96.78.3", late: "10.96.78.4" };

/** The name that the resolver of the namespace's pod ended up with, and its address; empty if none was answered. */
async function search(namespace: string, name: string): Promise<string> {
  const client = await cluster().pod("client", namespace);
  const { stdout } = await client.attempt(["dig", "+search", "+noall", "+answer", "+tries=1", "+time=10", name, "A"]);
  return stdout
    .trim()
    .split("\n")
    .map((line) => line.split(/\s+/))
    .map(([found = "", , , , address]) => (found === "" ? "" : `${found} ${address}`))
    .join(", ");
}

/** Soon: for a moment, a node may lead to a CoreDNS that does not know all pods. */
function expectFound(namespace: string, name: string, found: string): Promise<void> {
  return eventually(`${name} in ${namespace}`, 60, () => search(namespace, name), found);
}

// What each name is answered with: coredns/tenancy. Here, the address that CoreDNS sees is that of a pod.
beforeAll(async () => {
  const namespaces = Object.entries(addresses);
  await cluster().kubectl.apply(namespaces.map(([namespace]) => namespaceObject(namespace)));
  await cluster().kubectl.apply(
    namespaces.map(([namespace, clusterIP]) => service({ name: "foo", namespace, spec: { clusterIP } })),
  );
  await deploy(cluster(), props);
  const { podDns } = clusterOf(props);
  for (const [namespace] of namespaces) {
    const member = podDns && memberOf(podDns.tenancy, { name: namespace });
    const own = member && { dnsPolicy: "None", dnsConfig: podDnsConfig(podDns, member) };
    await cluster().startPod({ name: "client", namespace, spec: { ...own } });
  }
});

it.each([
  ["foo", "foo.bar.baz.svc.cluster.local. 10.96.78.1"],
  ["foo.bar2", "foo.bar2.baz.svc.cluster.local. 10.96.78.2"],
  ["foo.bar2.svc.cluster.local.", "foo.bar2.svc.cluster.local. 10.96.78.2"],
  ["kubernetes.default", "kubernetes.default.svc.cluster.local. 10.96.0.1"],
])("a tenant's name is answered for its pods: %s", (name, found) => expectFound("bar", name, found));

it.each(["foo.web.acme.svc.cluster.local.", "foo.web.svc.cluster.local."])(
  "%s is not answered for anyone else",
  async (name) => {
    await expectFound("web", name, `${name} 10.96.78.3`);
    for (const other of ["bar", "late"]) await expectFound(other, name, "");
    const [node] = cluster().nodes;
    const ask = () => node?.exec(["dig", "+noall", "+answer", "+comments", "@10.96.0.10", name]);
    await eventually("no answer for the node", 60, ask, (got) => expect(got).toContain("NXDOMAIN"));
  },
);
