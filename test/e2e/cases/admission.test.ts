import { beforeAll, describe, expect, it } from "vitest";
import { argv } from "../../../rig/argv";
import { deploy } from "../../../rig/cluster/deploy";
import type { KubernetesObject } from "../../../rig/cluster/kubectl";
import { namespaceObject } from "../../../rig/cluster/objects";
import { until } from "../../../rig/until";
import type { ClusterDnsProps } from "../../../src/model/props/cluster-dns";
import { useCluster } from "../lib/use-cluster";
import { eventually } from "../../eventually";
import { uncached } from "../lib/usual";

const cluster = useCluster();
const server = "cluster-dns-webhook";

const policies: ClusterDnsProps = {
  ...uncached,
  kubernetesVersion: "1.37",
  tenancy: { tenants: [{ name: "baz", namespaces: ["bar"] }] },
  admission: {
    allowedUsers: ["system:serviceaccount:argocd:argocd-application-controller"],
    // Pods of namespace bar keep the resolv.conf of the seed text.
    podDNSConfig: { options: { ndots: 2, "single-request-reopen": true }, excludedNamespaces: ["bar"] },
  },
};
const webhook: ClusterDnsProps = {
  ...policies,
  admission: { allowedUsers: [], ...policies.admission, enforcement: "webhook", placementGuard: true },
};

/** Seed text for a pod in namespace bar of tenant baz. */
const resolvConf = `search bar.baz.svc.cluster.local baz.svc.cluster.local svc.cluster.local cluster.local
nameserver 10.96.0.10
options ndots:6
`;

/** What a pod of any other namespace gets. */
const withOptions = `search default.svc.cluster.local svc.cluster.local cluster.local
nameserver 10.96.0.10
options ndots:2 single-request-reopen
`;

async function podsOf(app: string): Promise<KubernetesObject[]> {
  return cluster().kubectl.list("pods", "kube-system", `k8s-app=${app}`);
}

/** Runs a pod, the tenant's if not told otherwise; returns its resolv.conf. Kubelets write options in any order. */
async function resolvConfOf(
  name: string,
  spec: Readonly<Record<string, unknown>> = {},
  namespace = "bar",
): Promise<string> {
  const running = await cluster().startPod({ name, namespace, spec });
  const text = await running.exec(["cat", "/etc/resolv.conf"]);
  return text.replace(/^options (.*)$/m, (_, options: string) => `options ${options.split(" ").toSorted().join(" ")}`);
}

/** The names that a pod of namespace default asks for, one after the other, to resolve this one. */
async function asked(from: string, name: string): Promise<string[]> {
  const client = await cluster().pod(from, "default");
  const questions = await client.exec(["dig", "+search", "+showsearch", "+noall", "+question", name, "A"]);
  return [...questions.matchAll(/^;(\S+)\s/gm)].map(([, of = ""]) => of);
}

beforeAll(async () => {
  await cluster().kubectl.apply([namespaceObject("bar")]);
  await deploy(cluster(), webhook);
});

/** How long the API server waits for the webhook before it goes on without. Returns what puts that back. */
async function waitForWebhook(seconds: number): Promise<() => Promise<void>> {
  const before: [kind: string, seconds: number[]][] = [];
  const set = (kind: string, all: readonly number[]) => {
    const patch = all.map((value, i) => ({ op: "replace", path: `/webhooks/${i}/timeoutSeconds`, value }));
    return cluster().kubectl.run(["patch", kind, server, "--type=json", "-p", JSON.stringify(patch)]);
  };
  for (const kind of ["mutatingwebhookconfiguration", "validatingwebhookconfiguration"]) {
    const { webhooks } = (await cluster().kubectl.get<{ webhooks: { timeoutSeconds: number }[] }>(kind, server)) ?? {
      webhooks: [],
    };
    before.push([kind, webhooks.map(({ timeoutSeconds }) => timeoutSeconds)]);
    const wanted = webhooks.map(() => seconds);
    await set(kind, wanted);
  }
  return async () => {
    for (const [kind, all] of before) await set(kind, all);
  };
}

describe("the webhook", () => {
  let asRendered: () => Promise<void>;
  // On a busy machine, a second without an answer is none yet.
  beforeAll(async () => {
    asRendered = await waitForWebhook(30);
  });

  it("is trusted within a minute, and gives a tenant's pod the resolv.conf of the seed text", async () => {
    const caBundles = argv`${server} -o jsonpath={.webhooks[*].clientConfig.caBundle}`;
    const trusted = () => cluster().kubectl.run(["get", "mutatingwebhookconfiguration", ...caBundles]);
    await eventually("a trusted certificate", 90, trusted, (got) => expect(got).toMatch(/^LS0t/), 1000);
    await expectDnsSet();
    expect(await resolvConfOf("with-webhook")).toBe(resolvConf);
  });

  it("lets a pod resolve the cluster's names as its tenant has them", async () => {
    const client = await cluster().pod("with-webhook", "bar");
    expect(await client.exec(["getent", "hosts", "kubernetes.default"])).toContain("10.96.0.1 ");
  });

  it("runs on all nodes with one certificate", async () => {
    const pods = await podsOf(server);
    expect(pods).toHaveLength(3);
    expect(new Set(pods.map(({ spec }) => (spec as { nodeName: string }).nodeName)).size).toBe(2);
    const issuers = async () => {
      const logs = pods.map(({ metadata }) => cluster().kubectl.run(["logs", "-n", "kube-system", metadata.name]));
      return (await Promise.all(logs)).map((log) => [...log.matchAll(/"issuer":"([^"]+)"/g)].at(-1)?.[1]);
    };
    await eventually("one authority", 60, issuers, (got) =>
      expect(got).toEqual(got.map(() => expect.stringContaining(got[0] ?? "an authority"))),
    );
  });

  describe("without a pod", () => {
    beforeAll(async () => {
      await asRendered();
      await cluster().kubectl.run(["scale", "deployment", server, "-n", "kube-system", "--replicas=0"]);
      await until("the end of its pods", 60, async () => (await podsOf(server)).length === 0);
    });

    it("lets a tenant's pod start with ordinary DNS, and a policy tells its creator and counts it", async () => {
      const missed = argv`run missed -n bar --image=registry.example/c:1 --restart=Never`;
      const { stderr } = await cluster().kubectl.attempt(missed);
      expect(stderr).toContain("this pod lacks the DNS configuration of tenant baz");
      const metrics = await cluster().kubectl.run(["get", "--raw", "/metrics"]);
      expect(metrics).toMatch(
        /apiserver_validating_admission_policy_check_total\{[^}]*enforcement_action="audit"[^}]*policy="cluster-dns-pod-dns-audit"/,
      );
    });

    it("restarts itself, and serves", async () => {
      await cluster().kubectl.run(["scale", "deployment", server, "-n", "kube-system", "--replicas=3"]);
      await cluster().kubectl.rolledOut("deployment", server, "kube-system");
      await expectDnsSet();
    });
  });
});

describe("the policies", () => {
  beforeAll(async () => {
    for (const kind of ["mutatingwebhookconfiguration", "validatingwebhookconfiguration"])
      await cluster().kubectl.delete(kind, server);
    await cluster().kubectl.delete("deployment", server, "kube-system");
    await deploy(cluster(), policies);
    await expectDnsSet();
  });

  it("give a tenant's pod the resolv.conf of the seed text, with no server at all", async () => {
    expect(await resolvConfOf("with-policies")).toBe(resolvConf);
  });

  it("give pods of all other namespaces the options of podDNSConfig, which their resolver follows", async () => {
    expect(await resolvConfOf("options-policies", {}, "default")).toBe(withOptions);
    const [whole, short] = ["kubernetes.default.svc.cluster.local", "kubernetes.default"];
    expect(await asked("options-policies", whole)).toEqual([`${whole}.`]);
    const searched = ["default.svc.cluster.local", "svc.cluster.local"].map((domain) => `${short}.${domain}.`);
    expect(await asked("options-policies", short)).toEqual(searched);
  });

  const own = { nameservers: ["192.0.2.53"], searches: ["own.test"], options: [{ name: "ndots", value: "2" }] };
  const both = resolvConf.replace("cluster.local\n", "cluster.local own.test\n");
  const withOwn = both.replace("10.96.0.10\n", "10.96.0.10\nnameserver 192.0.2.53\n");

  beforeAll(async () => {
    const { tenants = [] } = policies.tenancy ?? {};
    await deploy(cluster(), { ...policies, tenancy: { tenants, strict: true } });
    const overrides = ["--overrides", JSON.stringify({ spec: { dnsPolicy: "Default" } })];
    await expectDnsSet(overrides);
  });

  it.each<[option: string, spec: Readonly<Record<string, unknown>>, expected: string]>([
    ["default", { dnsPolicy: "Default" }, resolvConf],
    ["host-network", { hostNetwork: true }, resolvConf],
    ["none", { dnsPolicy: "None", dnsConfig: own }, withOwn],
    ["own-options", { dnsConfig: own }, withOwn],
  ])("strict, no matter what option a pod uses: %s", async (option, spec, expected) => {
    expect(await resolvConfOf(`strict-${option}`, spec)).toBe(expected);
  });

  it("have expressions that fit the types they match", async () => {
    const checks = async () =>
      (await cluster().kubectl.list("validatingadmissionpolicies")).flatMap(({ metadata: { name }, status }) =>
        name.startsWith("cluster-dns-")
          ? [{ name, found: (status as { typeChecking?: object } | undefined)?.typeChecking }]
          : [],
      );
    expect((await checks()).length).toBeGreaterThan(3);
    await eventually("the checks of all policies", 60, checks, (got) =>
      expect(got).toEqual(got.map(({ name }) => ({ name, found: {} }))),
    );
  });
});

/** Waits until a tenant's new pod would get its tenant's DNS. */
async function expectDnsSet(more: readonly string[] = []): Promise<void> {
  const probe = argv`run probe -n bar --image=registry.example/c:1 --dry-run=server -o jsonpath={.spec.dnsPolicy}`;
  await eventually("a pod's DNS to be set", 30, () => cluster().kubectl.run([...probe, ...more]), "None");
}
