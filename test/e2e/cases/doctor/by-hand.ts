import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it, beforeAll, vi } from "vitest";
import type { FindingId } from "../../../../src/model/doctor/findings";
import type { ClusterDnsProps } from "../../../../src/model/props/cluster-dns";
import type { KubernetesObject } from "../../../../rig/cluster/kubectl";
import { attempt } from "../../../../rig/run";
import { printSuggestion } from "../../../../src/model/doctor/suggestions";
import { eventually } from "../../../eventually";
import { type Examined, smokeTests, corefileOf, inKubeSystem } from "./examined";
import { parse, stringify } from "yaml";

/** What somebody makes, and what the doctor finds then. */
interface Made {
  readonly what: string;
  readonly object: KubernetesObject;
  readonly id: FindingId;
  readonly where: string | RegExp;
  readonly evidence?: RegExp;
  readonly props?: Partial<ClusterDnsProps>;
  /** By commands that doctor offers. */
  readonly mends?: true;
}

const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "coredns" };
const cpu = { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } };

const made: readonly Made[] = [
  {
    what: "an autoscaler by load, without metrics",
    object: inKubeSystem("autoscaling/v2", "HorizontalPodAutoscaler", "coredns", {
      spec: { scaleTargetRef, minReplicas: 2, maxReplicas: 4, metrics: [{ type: "Resource", resource: cpu }] },
    }),
    id: "autoscaler-stuck",
    where: "HorizontalPodAutoscaler kube-system/coredns",
    evidence: /ScalingActive is False: FailedGetResourceMetric: .*metrics/,
    props: { authoritativeDNS: { autoscaler: { mode: "horizontal" } } },
  },
  {
    what: "an address of the DNS Service that somebody else has, too",
    object: inKubeSystem("v1", "Service", "hijack", {
      spec: { selector: { a: "b" }, externalIPs: ["192.0.2.1", "10.96.0.10"], ports: [{ port: 53, protocol: "UDP" }] },
    }),
    id: "address-taken",
    where: "Service kube-system/hijack",
    mends: true,
  },
  {
    what: "somebody's webhook whose Service is gone, before a pod is refused",
    object: {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: "somebody" },
      webhooks: [
        {
          name: "policy.somebody.example",
          clientConfig: { service: { name: "gone", namespace: "default" } },
          rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }],
          failurePolicy: "Fail",
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
        },
      ],
    },
    id: "refused-next",
    where: /^Deployment kube-system\/coredns, /,
    evidence: /calls Service default\/gone, which does not exist/,
    mends: true,
  },
];

/** What commands mend that doctor offers, and what refuses pods. */
export function byHand(x: Examined): void {
  const { expectFound } = x;
  const objects = () => x.cluster().kubectl;

  describe("finds what somebody has changed by hand:", () => {
    it("the selector and the ports of the DNS Service", async () => {
      const value = { "k8s-app": "nobody", more: "yes" };
      const ports = [{ op: "replace", path: "/spec/ports/2/port", value: 9154 }];
      await x.patch("service", "kube-dns", [{ op: "replace", path: "/spec/selector", value }, ...ports], "json");
      const finding = await expectFound("differs", "Service kube-system/kube-dns");
      await expectFound("no-endpoint", "Service kube-system/kube-dns");
      // By then, other ports stand at these places: the patch refuses to touch them.
      const command = finding.next
        .map((step) => printSuggestion(step, "cluster-dns"))
        .find((each) => each.includes(" patch "));
      const swap = [{ op: "move", from: "/spec/ports/2", path: "/spec/ports/0" }];
      await x.patch("service", "kube-dns", swap, "json");
      expect((await attempt(["bash", "-c", command ?? ""])).stderr).toContain("the server rejected our request");
      await x.mended(await expectFound("differs", "Service kube-system/kube-dns"));
    });

    it("a Service that is being deleted, and kept by a finalizer", async () => {
      x.putBack(x.reapply);
      const finalizers = ["somebody.example/hold"];
      await x.patch("service", "kube-dns", [{ op: "add", path: "/metadata/finalizers", value: finalizers }], "json");
      await objects().run(["delete", "service", "kube-dns", "-n", "kube-system", "--wait=false"]);
      const evidence = /finalizer somebody\.example\/hold keeps it until a controller of somebody\.example /;
      await x.mended(await expectFound("differs", "Service kube-system/kube-dns", { evidence }));
    });

    it("a DaemonSet that is missing, and nothing that follows", async () => {
      x.putBack(x.reapply);
      await objects().delete("daemonset", "node-local-dns", "kube-system");
      const finding = await expectFound("missing", "DaemonSet kube-system/node-local-dns");
      const following = async () => (await x.findings()).map(({ id }) => id).filter((id) => id.startsWith("no-"));
      expect(await following()).toEqual([]);
      await eventually("no endpoints", 30, () => endpointsOf("node-local-dns"), "");
      expect(await following()).toEqual([]);
      await x.mended(finding);
    });

    it("a Corefile that somebody wrote over: the ConfigMap is immutable, so it was made anew", async () => {
      const [name] = await configMapOf("coredns");
      x.putBack(x.reapply);
      await objects().delete("configmap", name, "kube-system");
      await objects().apply([corefileOf(name, ".:53 {\n  forward . {\n")]);
      await expectFound("corefile-unreadable", `ConfigMap kube-system/${name}`);
      const finding = await expectFound("differs", `ConfigMap kube-system/${name}`);
      await x.mended(finding);
    });

    it.each(made)("$what", async ({ object, id, where, mends, ...expected }) => {
      await x.make(object);
      const finding = await expectFound(id, where, expected);
      if (mends) await x.mended(finding);
    });

    it("the webhook's Secret, and a caBundle of somebody else", async () => {
      const { names } = x.cluster();
      x.putBack(x.reapply);
      await objects().delete("secret", "cluster-dns-webhook", "kube-system");
      await expectFound("certificate-failing", /^\d pods$/);
      // Without the Secret, nobody puts it back.
      const value = readFileSync(names.file("pki/ca.crt")).toString("base64");
      const change = [{ op: "replace", path: "/webhooks/0/clientConfig/caBundle", value }];
      const hook = "mutatingwebhookconfiguration";
      await objects().run(["patch", hook, "cluster-dns-webhook", "--type=json", "-p", JSON.stringify(change)]);
      const evidence = /failurePolicy Ignore admits/;
      await expectFound("trusts-others", "MutatingWebhookConfiguration cluster-dns-webhook", { evidence });
      await x.reapply();
      const ids = async () =>
        (await x.findings()).map(({ id }) => id).filter((id) => /^(certificate|trusts)-/.test(id));
      await eventually("a certificate, trusted", 150, ids, [], 1000);
    });

    it("a quota that refuses pods, those of CoreDNS and of the smoke test", async () => {
      const quota = { name: "no-more-pods", namespace: "kube-system" };
      // A ReplicaSet that was refused tries again after seconds, minutes at last, or when it changes.
      const tryAgain = ["annotate", "replicasets", "-n", quota.namespace, "-l", "k8s-app=kube-dns", "quota=gone"];
      x.putBack(x.reapply, async () => void (await objects().run(tryAgain)));
      await x.make(inKubeSystem("v1", "ResourceQuota", quota.name, { spec: { hard: { pods: "1" } } }));
      // Until its controller has counted pods, it refuses none.
      const counted = async () =>
        (await objects().get<{ status?: { used?: object } }>("resourcequota", quota.name, quota.namespace))?.status
          ?.used;
      await eventually("a quota that counts", 60, counted, (got) => expect(got).toHaveProperty("pods"));
      const [running] = await x.coreDns();
      await objects().delete("pod", running?.metadata.name ?? "", "kube-system");
      await expectFound("too-few-pods", "Deployment kube-system/coredns", {
        evidence: /new pods are refused: .*no-more-pods/,
      });

      const jobs = await objects().list<KubernetesObject & { spec: object }>("jobs", "kube-system", smokeTests);
      x.putBack(x.smokeTestAgain);
      await objects().run(["delete", "job", "-n", "kube-system", "-l", smokeTests]);
      await objects().apply(
        jobs.map(({ kind, apiVersion, metadata, spec }) => brief({ kind, apiVersion, metadata, spec })),
      );
      await expectFound("smoke-test-overdue", /cluster-dns-smoke-test/, { evidence: /FailedCreate: .*no-more-pods/ });
    });
  });

  /** The addresses behind a Service. */
  function endpointsOf(service: string): Promise<string> {
    const label = `kubernetes.io/service-name=${service}`;
    const path = "jsonpath={.items[*].endpoints[*].addresses[0]}";
    return objects().run(["get", "endpointslices", "-n", "kube-system", "-l", label, "-o", path]);
  }

  /** The ConfigMaps that a Deployment mounts. */
  async function configMapOf(deployment: string): Promise<[string, ...string[]]> {
    const path = "jsonpath={.spec.template.spec.volumes[*].configMap.name}";
    const names = await objects().run(["get", "deployment", deployment, "-n", "kube-system", "-o", path]);
    return names.split(" ") as [string, ...string[]];
  }
}

/** A new Job like this, which ends after seconds. */
function brief({ metadata, spec, ...job }: KubernetesObject & { spec: object }): KubernetesObject {
  const { selector: _ofTheOld, template, ...rest } = spec as { selector?: object; template: { spec: object } };
  const { name, namespace, labels } = metadata as typeof metadata & { labels: object };
  return {
    ...job,
    metadata: { name, namespace, labels },
    spec: { ...rest, template: { metadata: { labels }, spec: template.spec }, activeDeadlineSeconds: 5 },
  } as KubernetesObject;
}

/** What the doctor may not read. */
export function readings(x: Examined): void {
  const { expectFound } = x;
  const objects = () => x.cluster().kubectl;

  describe("says what it could not read:", () => {
    interface Kubeconfig {
      contexts: { name: string; context: { cluster: string; user: string } }[];
      users: { name: string; user: object }[];
    }

    beforeAll(() => {
      const path = x.cluster().names.file("kubeconfig");
      const config = parse(readFileSync(path, "utf8")) as Kubeconfig;
      const [{ context } = { context: { cluster: "", user: "" } }] = config.contexts;
      const admin = config.users.find(({ name }) => name === context.user);
      config.users.push({ name: "viewer", user: { ...admin?.user, as: "viewer" } });
      config.contexts.push({ name: "viewer", context: { ...context, user: "viewer" } });
      const other = x.cluster().names.file("kubeconfig-viewer");
      writeFileSync(other, stringify(config));
      vi.stubEnv("KUBECONFIG", other);
    });

    it("for want of rights", async () => {
      await expectFound("unread", /services/, { context: "viewer", evidence: /User "viewer" cannot list/ });
      await objects().run(["create", "clusterrolebinding", "viewer", "--clusterrole=view", "--user=viewer"]);
      x.putBack(() => objects().delete("clusterrolebinding", "viewer"));
      await expectFound("unread-aside", /nodes/, { context: "viewer", evidence: /User "viewer" cannot list/ });
    });
  });
}
