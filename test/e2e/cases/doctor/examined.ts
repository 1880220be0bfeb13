import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { allRolledOut, deploy } from "../../../../rig/cluster/deploy";
import type { KubernetesObject } from "../../../../rig/cluster/kubectl";
import { namespaceObject } from "../../../../rig/cluster/objects";
import { attempt } from "../../../../rig/run";
import { until } from "../../../../rig/until";
import { eventually } from "../../../eventually";
import { doctor } from "../../../../src/live/doctor";
import type { Finding } from "../../../../src/model/doctor/finding";
import type { FindingId } from "../../../../src/model/doctor/findings";
import { printSuggestion } from "../../../../src/model/doctor/suggestions";
import type { ClusterDnsProps } from "../../../../src/model/props/cluster-dns";
import { ofBusyMachine } from "../../lib/busy-machine";
import type { PutBack } from "../../lib/node-faults";
import { smokeTestEnded } from "../../lib/smoke-test";
import { useCluster } from "../../lib/use-cluster";
import { temporaryFolder } from "../../../temporary-folder";
import { administrate } from "../../lib/documented-commands";
import { createPublishedCrds } from "../../lib/api-of-dist";
import { facts } from "../../lib/usual";
import { ledToCache, podsOf } from "../../lib/programs";

const props = {
  ...facts,
  kubernetesVersion: "1.37",
  tenancy: {
    tenants: [
      { name: "baz", namespaces: ["bar"] },
      { name: "acme", namespaces: ["web"] },
    ],
  },
  admission: { allowedUsers: ["admin"], allowedGroups: ["system:masters"], enforcement: "webhook" },
  smokeTest: true,
  monitoring: { namespace: "observability" },
} satisfies ClusterDnsProps;

const kubeProxyConfig = inKubeSystem("v1", "ConfigMap", "kube-proxy", {
  data: {
    "config.conf": "apiVersion: kubeproxy.config.k8s.io/v1alpha1\nkind: KubeProxyConfiguration\nmode: iptables\n",
  },
});

interface Expected {
  /** Of the kubeconfig; the administrator's if undefined. */
  readonly context?: string;
  /** What its evidence says. */
  readonly evidence?: RegExp;
  /** What the cluster file says beside. */
  readonly props?: Partial<ClusterDnsProps>;
}

export type Examined = ReturnType<typeof examined>;

/** The commands that only look. */
const looks: ReadonlySet<string> = new Set(["get", "describe", "logs"]);

export const smokeTests = "k8s-app=cluster-dns-smoke-test";

/** A healthy cluster with all that the doctor looks at, for one file's tests. */
export function examined() {
  const clustersFolder = temporaryFolder("doctor");
  const cluster = useCluster();
  let folder: string;
  let toPutBack: PutBack[] = [];

  const x = {
    cluster,

    async findings(context = "cluster-dns", more: Partial<ClusterDnsProps> = {}): Promise<readonly Finding[]> {
      writeFileSync(join(clustersFolder, "e2e.yaml"), JSON.stringify({ ...props, ...more }));
      const from = { clustersFolder, outputFolder: dirname(folder), name: "e2e", context };
      const { problems, diagnosis } = await doctor(from);
      expect(problems).toEqual([]);
      return diagnosis?.findings ?? [];
    },

    /** Waits until the doctor finds it, and runs the commands that it offers for a closer look. */
    async expectFound(
      id: FindingId,
      where: string | RegExp,
      { evidence = /^/, context, props: more }: Expected = {},
    ): Promise<Finding> {
      let all: readonly Finding[] = [];
      const is = (finding: Finding) =>
        finding.id === id &&
        (typeof where === "string" ? finding.where === where : where.test(finding.where)) &&
        evidence.test(finding.evidence.join("; "));
      const find = async () => {
        all = await x.findings(context, more);
        return all.find(is);
      };
      const finding = await until(`finding ${id} at ${where}`, 150, find, 1000).catch((error: Error) => {
        throw new Error(`${error.message}; found ${JSON.stringify(all, null, 2)}`, { cause: error });
      });
      for (const step of finding.next) {
        if (typeof step === "string" || step.program !== "kubectl" || !looks.has(step.args[0] ?? "")) continue;
        const command = printSuggestion(step, context ?? "cluster-dns");
        const { code, stderr } = await attempt(["bash", "-c", command]);
        // A log of a container that has not started, of a pod that is gone by now, or what somebody may not read. What
        // is read of a program tells that it has stopped, or hangs.
        const isOfProgram = step.args.some((each) => each.includes("/proxy/"));
        if (!isOfProgram && !/BadRequest|NotFound|Forbidden/.test(stderr))
          expect({ command, code, stderr }).toMatchObject({ code: 0 });
      }
      return finding;
    },

    /** Runs the commands that the doctor offers to mend what it has found. */
    async mended({ next, id, where }: Finding): Promise<void> {
      const writes = next.filter(
        (step) => typeof step !== "string" && step.program === "kubectl" && !looks.has(step.args[0] ?? ""),
      );
      expect(writes).not.toEqual([]);
      for (const step of writes) {
        const { code, stderr } = await attempt(["bash", "-c", printSuggestion(step, "cluster-dns")]);
        expect({ code, stderr }).toMatchObject({ code: 0 });
      }
      const again = async () => (await x.findings()).filter((each) => each.id === id && each.where === where);
      await eventually(`${id} at ${where} to be mended`, 30, again, [], 1000);
    },

    async patch(kind: string, name: string, change: object, type: "strategic" | "json" = "strategic"): Promise<void> {
      const { kubectl } = cluster();
      await kubectl.run(["patch", kind, name, "-n", "kube-system", "--type", type, "-p", JSON.stringify(change)]);
    },

    /** Objects that are deleted after the test. */
    async make(...objects: readonly KubernetesObject[]): Promise<void> {
      for (const { kind, metadata } of objects)
        x.putBack(() => cluster().kubectl.delete(kind.toLowerCase(), metadata.name, metadata.namespace));
      await cluster().kubectl.apply(objects);
    },

    /** Applies everything as described again. */
    async reapply(): Promise<void> {
      await cluster().kubectl.apply(folder, { serverSide: true, fieldManager: "e2e" });
      await allRolledOut(cluster(), props);
    },

    /** Also fields of these that we do not set. */
    async recreate(deployment: string): Promise<void> {
      await cluster().kubectl.delete("deployment", deployment, "kube-system");
      await x.reapply();
    },

    /** Runs the smoke test again. */
    async smokeTestAgain(): Promise<void> {
      await cluster().kubectl.run(["delete", "job", "-n", "kube-system", "-l", smokeTests]);
      await cluster().kubectl.apply(join(folder, "smoke-test"), { serverSide: true });
    },

    /** The pods of CoreDNS that are not about to end, on one node or all. */
    coreDns: (on?: string) => podsOf(cluster(), "kube-dns", on),

    /** For after the test: the last first. */
    putBack(...mend: readonly PutBack[]): void {
      toPutBack.push(...mend);
    },
  };

  beforeAll(async () => {
    await createPublishedCrds(cluster().kubectl);
    await cluster().kubectl.apply(["bar", "web", "free", "observability"].map(namespaceObject));
    await cluster().kubectl.apply([kubeProxyConfig]);
    folder = await deploy(cluster(), props);
    await administrate(cluster());
    for (const node of cluster().nodes) await ledToCache(node);
    // The first Jobs of the smoke test started beside the pods that they ask.
    await x.smokeTestAgain();
    const { pod, host } = await smokeTestEnded(cluster());
    expect([pod, host].filter(({ ended }) => ended === "Failed")).toEqual([]);
  });
  afterEach(async () => {
    const all = toPutBack.reverse();
    toPutBack = [];
    for (const mend of all) await mend();
  });
  afterAll(() => void vi.unstubAllEnvs());

  it("finds nothing in a healthy cluster, in a few seconds", async () => {
    let seconds = "";
    const find = async () => {
      const started = performance.now();
      const found = await x.findings();
      seconds = ((performance.now() - started) / 1000).toFixed(1);
      return found
        .filter(({ id }) => !ofBusyMachine.includes(id))
        .map(({ id, where, evidence }) => [id, where, ...evidence].join("; "));
    };
    await eventually("certificates, trusted", 90, find, [], 1000);
    console.log(`doctor on 2 nodes: ${seconds} s`);
  });
  return x;
}

// Objects that somebody makes by hand.

export function inKubeSystem(apiVersion: string, kind: string, name: string, fields: object): KubernetesObject {
  return { apiVersion, kind, metadata: { name, namespace: "kube-system" }, ...fields };
}

export function corefileOf(name: string, corefile: string): KubernetesObject {
  return inKubeSystem("v1", "ConfigMap", name, { data: { Corefile: corefile } });
}

/** Of the pods of CoreDNS. */
export function policy(name: string, spec: object): KubernetesObject {
  const podSelector = { matchLabels: { "k8s-app": "kube-dns" } };
  return inKubeSystem("networking.k8s.io/v1", "NetworkPolicy", name, { spec: { podSelector, ...spec } });
}
