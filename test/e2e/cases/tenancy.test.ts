import { beforeAll, describe, expect, it } from "vitest";
import { deploy } from "../../../rig/cluster/deploy";
import { externalName, namespaceObject, pod, service } from "../../../rig/cluster/objects";
import { until } from "../../../rig/until";
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
    await kubectl.run(["wait", "-n", namespace, "--for=condition=Ready", `pod/${isolation}`, "--timeout=120s"]);
}

/** The name that the pod's resolver ended up with, and its address; empty if no attempt was answered. */
async function search(namespace: string, isolation: string, name: string): Promise<string> {
  const client = await cluster().pod(isolation, namespace);
  const { stdout } = await client.attempt(["dig", "+search", "+noall", "+answer", "+tries=3", "+time=2", name, "A"]);
  return stdout
    .trim()
    .split("\n")
    .map((line) => line.split(/\s+/))
    .map(([found = "", , , , address]) => (found === "" ? "" : `${found} ${address}`))
    .join(", ");
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
    expect(await search("bar", "open", name)).toBe(found);
  });

  it("a pod of another tenant has its own names", async () => {
    expect(await search("web", "open", "foo")).toBe("foo.web.acme.svc.cluster.local. 10.96.78.3");
    expect(await search("web", "open", "foo.bar.baz")).toBe("foo.bar.baz.svc.cluster.local. 10.96.78.1");
  });

  it("a namespace without a tenant is in no tenant's names", async () => {
    expect(await search("bar", "open", "foo.late.baz.svc.cluster.local.")).toBe("");
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
    await kubectl.run(["wait", "-n", home, "--for=condition=Ready", `pod/${membership}`, "--timeout=120s"]);
  });

  it("a tenant's pod finds its tenant's Services, by their tenant's names", async () => {
    expect(await search(home, membership, "foo")).toBe(`foo.shop.baz.svc.cluster.local. ${range}.1`);
    expect(await search(home, membership, "foo.shop.baz")).toBe(`foo.shop.baz.svc.cluster.local. ${range}.1`);
    expect(await search(home, membership, "1foo")).toBe(`1foo.shop.baz.svc.cluster.local. ${range}.2`);
    expect(await search(home, membership, "foo.shop.acme")).toBe("");
    expect(await search(home, membership, "foo.bar.baz")).toBe("");
  });

  it("a namespace joins with its creation, and leaves with it", async () => {
    const { kubectl } = cluster();
    await kubectl.apply([{ ...namespaceObject(late), metadata: { name: late, labels } }]);
    await kubectl.apply([service({ name: "foo", namespace: late, spec: { clusterIP: `${range}.3` } })]);
    const found = () => search(home, membership, "foo.later");
    await eventually("the Service of a new namespace", 30, found, (got) =>
      expect(got).toBe(`foo.later.baz.svc.cluster.local. ${range}.3`),
    );
    await kubectl.delete("namespace", late);
    await eventually("the end of a deleted namespace", 30, found, (got) => expect(got).toBe(""));
  });
});

describe("isolation: soft", () => {
  beforeAll(() => deployWith("soft"));

  it("the search list stays inside the tenant, but full names cross", async () => {
    expect(await search("bar", "soft", "foo")).toBe("foo.bar.baz.svc.cluster.local. 10.96.78.1");
    expect(await search("bar", "soft", "foo.bar2")).toBe("foo.bar2.baz.svc.cluster.local. 10.96.78.2");
    expect(await search("bar", "soft", "foo.web.acme")).toBe("");
    expect(await search("bar", "soft", "foo.web.acme.svc.cluster.local.")).toBe(
      "foo.web.acme.svc.cluster.local. 10.96.78.3",
    );
  });

  it("a namespace that joined the tenant is in its names", async () => {
    expect(await search("bar", "soft", "foo.late")).toBe("foo.late.baz.svc.cluster.local. 10.96.78.4");
    expect(await search("late", "soft", "foo")).toBe("foo.late.baz.svc.cluster.local. 10.96.78.4");
  });
});

describe("isolation: hard", () => {
  beforeAll(async () => {
    await deployWith("hard");
    // CoreDNS learns of a pod a moment after the API server.
    await until("the pod is known", 30, async () => (await search("bar", "hard", "foo")) !== "");
  });

  it("a tenant's names are answered for its pods", async () => {
    expect(await search("bar", "hard", "foo")).toBe("foo.bar.baz.svc.cluster.local. 10.96.78.1");
    expect(await search("bar", "hard", "foo.bar2")).toBe("foo.bar2.baz.svc.cluster.local. 10.96.78.2");
    expect(await search("bar", "hard", "foo.bar2.svc.cluster.local.")).toBe("foo.bar2.svc.cluster.local. 10.96.78.2");
    expect(await search("bar", "hard", "kubernetes.default")).toBe("kubernetes.default.svc.cluster.local. 10.96.0.1");
  });

  it.each(["foo.web.acme.svc.cluster.local.", "foo.web.svc.cluster.local."])(
    "%s is not answered for anyone else",
    async (name) => {
      expect(await search("web", "hard", name)).toBe(`${name} 10.96.78.3`);
      for (const other of ["bar", "late"]) expect(await search(other, "hard", name)).toBe("");
      const [node] = cluster().nodes;
      expect(await node?.exec(["dig", "+noall", "+answer", "+comments", "@10.96.0.10", name])).toContain("NXDOMAIN");
    },
  );

  it("a namespace that left the tenant is no longer in its names, and its pods cannot resolve them", async () => {
    expect(await search("bar", "hard", "foo.late.baz.svc.cluster.local.")).toBe("");
    expect(await search("late", "hard", "foo.bar.baz.svc.cluster.local.")).toBe("");
  });

  it("an alias to another tenant is refused", async () => {
    const alias = JSON.stringify(externalName("alias", "foo.web.svc.cluster.local", "bar"));
    const { code, stderr } = await cluster().kubectl.attempt(["apply", "-f", "-"], { input: alias });
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining("is in the cluster domain") });
  });
});
