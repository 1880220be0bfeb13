import { beforeAll, describe, expect, it } from "vitest";
import { deploy } from "../../../rig/cluster/deploy";
import { externalName, namespaceObject, pod, service } from "../../../rig/cluster/objects";
import { clusterOf } from "../../../src/model/cluster/cluster";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import type { TenancyOptions } from "../../../src/model/props/tenancy";
import { memberOf } from "../../../src/model/tenancy/membership";
import { podDnsConfig } from "../../../src/model/tenancy/pod-dns-config";
import { useCluster } from "../lib/use-cluster";
import { eventually } from "../../eventually";

const cluster = useCluster();
const tenantLabel = "example.com/tenant";

/** Namespace `late` joins tenant baz with `soft` and leaves it with `hard`. */
function props(isolation: NonNullable<TenancyOptions["isolation"]>): ClusterDnsProps {
  return {
    clusterDNS: ["10.96.0.10"],
    kubeProxyMode: "iptables",
    kubernetesVersion: "1.37",
    nodeLocalDNS: { state: "disabled" },
    tenancy: {
      isolation,
      systemTenant: { name: "infra" },
      tenants: [
        { name: "baz", namespaces: isolation === "soft" ? ["bar", "bar2", "late"] : ["bar", "bar2"] },
        { name: "acme", namespaces: ["web"] },
      ],
    },
  };
}

const addresses = { bar: "10.96.78.1", bar2: "10.96.78.2", web: "10.96.78.3", late: "10.96.78.4" };

/** Deploys this isolation and, in each namespace, a pod of that name with the namespace's search list. */
async function deployWith(isolation: NonNullable<TenancyOptions["isolation"]>): Promise<void> {
  const { kubectl } = cluster();
  await deploy(cluster(), props(isolation));
  const pods = Object.keys(addresses).map((namespace) => {
    const { podDns } = clusterOf(props(isolation));
    const member = podDns && memberOf(podDns.tenancy, { name: namespace });
    const own = member && { dnsPolicy: "None", dnsConfig: podDnsConfig(podDns, member) };
    return pod({ name: isolation, namespace, spec: { ...own } });
  });
  await kubectl.apply(pods);
  for (const namespace of Object.keys(addresses))
    await kubectl.run(["wait", "-n", namespace, "--for=condition=Ready", `pod/${isolation}`, "--timeout=300s"]);
}

/** The name that the pod's resolver ended up with, and its address; empty if no attempt was answered. */
async function search(namespace: string, isolation: string, name: string): Promise<string> {
  const client = await cluster().pod(isolation, namespace);
  const { stdout } = await client.attempt(["dig", "+search", "+noall", "+answer", "+tries=1", "+time=10", name, "A"]);
  return stdout
    .trim()
    .split("\n")
    .map((line) => line.split(/\s+/))
    .map(([found = "", , , , address]) => (found === "" ? "" : `${found} ${address}`))
    .join(", ");
}

/** Soon: for a moment, a node may still lead to CoreDNS as it was described before. */
function expectFound(namespace: string, isolation: string, name: string, found: string): Promise<void> {
  const get = () => search(namespace, isolation, name);
  return eventually(`${name} in ${namespace}`, 60, get, found);
}

beforeAll(async () => {
  const namespaces = Object.entries(addresses);
  await cluster().kubectl.apply(namespaces.map(([namespace]) => namespaceObject(namespace)));
  await cluster().kubectl.apply(
    namespaces.map(([namespace, clusterIP]) => service({ name: "foo", namespace, spec: { clusterIP } })),
  );
});

describe("isolation: open", () => {
  beforeAll(() => deployWith("open"));

  it.each([
    ["first", "foo", "foo.bar.baz.svc.cluster.local. 10.96.78.1"],
    ["second", "foo.bar2", "foo.bar2.baz.svc.cluster.local. 10.96.78.2"],
    ["third", "foo.web.acme", "foo.web.acme.svc.cluster.local. 10.96.78.3"],
    ["third, for a plain name", "kubernetes.default", "kubernetes.default.svc.cluster.local. 10.96.0.1"],
    [
      "third, for the system tenant",
      "kubernetes.default.infra",
      "kubernetes.default.infra.svc.cluster.local. 10.96.0.1",
    ],
  ])("the %s attempt of a pod of namespace bar answers %s", async (_, name, found) => {
    await expectFound("bar", "open", name, found);
  });

  it("a pod of another tenant has its own names", async () => {
    await expectFound("web", "open", "foo", "foo.web.acme.svc.cluster.local. 10.96.78.3");
    await expectFound("web", "open", "foo.bar.baz", "foo.bar.baz.svc.cluster.local. 10.96.78.1");
  });

  it("a namespace without a tenant is in no tenant's names", async () => {
    await expectFound("bar", "open", "foo.late.baz.svc.cluster.local.", "");
  });
});

describe.each<{
  membership: "prefix" | "label";
  home: string;
  range: string;
  labels: Readonly<Record<string, string>>;
}>([
  { membership: "prefix", home: "baz-shop", range: "10.96.79", labels: {} },
  { membership: "label", home: "shop", range: "10.96.80", labels: { [tenantLabel]: "baz" } },
])("membership: $membership", ({ membership, home, range, labels }) => {
  const tenants = { tenants: [{ name: "baz" }, { name: "acme" }], systemTenant: { name: "infra" } };
  const tenancy = { ...tenants, membership, ...(membership === "label" ? { namespaceLabel: tenantLabel } : {}) };
  const late = membership === "label" ? "later" : "baz-later";

  beforeAll(async () => {
    const { kubectl } = cluster();
    await kubectl.apply([{ ...namespaceObject(home), metadata: { name: home, labels } }]);
    await kubectl.apply([
      service({ name: "foo", namespace: home, spec: { clusterIP: `${range}.1` } }),
      // a name that starts with a digit: Kubernetes 1.37
      service({ name: "1foo", namespace: home, spec: { clusterIP: `${range}.2` } }),
    ]);
    await deploy(cluster(), { ...props("open"), tenancy });
    const { podDns } = clusterOf({ ...props("open"), tenancy });
    const member = podDns && memberOf(podDns.tenancy, { name: home, labels });
    const own = member && { dnsPolicy: "None", dnsConfig: podDnsConfig(podDns, member) };
    await kubectl.apply([pod({ name: membership, namespace: home, spec: { ...own } })]);
    await kubectl.run(["wait", "-n", home, "--for=condition=Ready", `pod/${membership}`, "--timeout=300s"]);
  });

  it("a tenant's pod finds its tenant's Services, by their tenant's names", async () => {
    await expectFound(home, membership, "foo", `foo.shop.baz.svc.cluster.local. ${range}.1`);
    await expectFound(home, membership, "foo.shop.baz", `foo.shop.baz.svc.cluster.local. ${range}.1`);
    await expectFound(home, membership, "1foo", `1foo.shop.baz.svc.cluster.local. ${range}.2`);
    await expectFound(home, membership, "foo.shop.acme", "");
    await expectFound(home, membership, "foo.bar.baz", "");
  });

  it("a namespace joins with its creation, and leaves with it", async () => {
    const { kubectl } = cluster();
    await kubectl.apply([{ ...namespaceObject(late), metadata: { name: late, labels } }]);
    await kubectl.apply([service({ name: "foo", namespace: late, spec: { clusterIP: `${range}.3` } })]);
    await expectFound(home, membership, "foo.later", `foo.later.baz.svc.cluster.local. ${range}.3`);
    await kubectl.delete("namespace", late);
    await expectFound(home, membership, "foo.later", "");
  });
});

describe("isolation: soft", () => {
  beforeAll(() => deployWith("soft"));

  it("the search list stays inside the tenant, but full names cross", async () => {
    await expectFound("bar", "soft", "foo", "foo.bar.baz.svc.cluster.local. 10.96.78.1");
    await expectFound("bar", "soft", "foo.bar2", "foo.bar2.baz.svc.cluster.local. 10.96.78.2");
    await expectFound("bar", "soft", "foo.web.acme", "");
    await expectFound("bar", "soft", "foo.web.acme.svc.cluster.local.", "foo.web.acme.svc.cluster.local. 10.96.78.3");
  });

  it("a namespace that joined the tenant is in its names", async () => {
    await expectFound("bar", "soft", "foo.late", "foo.late.baz.svc.cluster.local. 10.96.78.4");
    await expectFound("late", "soft", "foo", "foo.late.baz.svc.cluster.local. 10.96.78.4");
  });
});

describe("isolation: hard", () => {
  beforeAll(() => deployWith("hard"));

  it("a tenant's names are answered for its pods", async () => {
    await expectFound("bar", "hard", "foo", "foo.bar.baz.svc.cluster.local. 10.96.78.1");
    await expectFound("bar", "hard", "foo.bar2", "foo.bar2.baz.svc.cluster.local. 10.96.78.2");
    await expectFound("bar", "hard", "foo.bar2.svc.cluster.local.", "foo.bar2.svc.cluster.local. 10.96.78.2");
    await expectFound("bar", "hard", "kubernetes.default", "kubernetes.default.svc.cluster.local. 10.96.0.1");
  });

  it.each(["foo.web.acme.svc.cluster.local.", "foo.web.svc.cluster.local."])(
    "%s is not answered for anyone else",
    async (name) => {
      await expectFound("web", "hard", name, `${name} 10.96.78.3`);
      for (const other of ["bar", "late"]) await expectFound(other, "hard", name, "");
      const [node] = cluster().nodes;
      const ask = () => node?.exec(["dig", "+noall", "+answer", "+comments", "@10.96.0.10", name]);
      await eventually("no answer for the node", 60, ask, (got) => expect(got).toContain("NXDOMAIN"));
    },
  );

  it("a namespace that left the tenant is no longer in its names, and its pods cannot resolve them", async () => {
    await expectFound("bar", "hard", "foo.late.baz.svc.cluster.local.", "");
    await expectFound("late", "hard", "foo.bar.baz.svc.cluster.local.", "");
  });

  it("an alias to another tenant is refused", async () => {
    const alias = JSON.stringify(externalName("alias", "foo.web.svc.cluster.local", "bar"));
    const apply = () => cluster().kubectl.attempt(["apply", "--dry-run=server", "-f", "-"], { input: alias });
    await eventually(
      "the policy",
      60,
      apply,
      expect.objectContaining({ code: 1, stderr: expect.stringContaining("is in the cluster domain") }),
    );
  });
});
