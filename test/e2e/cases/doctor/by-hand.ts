import { describe, expect, it } from "vitest";
import type { KubernetesObject } from "../../../../rig/cluster/kubectl";
import { pod } from "../../../../rig/cluster/objects";
import type { Workload } from "../../../../src/model/kubernetes/kinds";
import { eventually } from "../../../eventually";
import { type Examined, kubeProxyIn, smokeTests } from "./examined";

/** Services, endpoints, configurations, leftovers. */
export function byHand(x: Examined): void {
  const { expectFound } = x;
  const objects = () => x.cluster().kubectl;

  describe("finds what somebody has changed by hand:", () => {
    it("the selector and the ports of the DNS Service", async () => {
      const selector = { "k8s-app": "nobody", more: "yes" };
      const ports = [{ op: "replace", path: "/spec/ports/2/port", value: 9154 }];
      await x.patch(
        "service",
        "kube-dns",
        [{ op: "replace", path: "/spec/selector", value: selector }, ...ports],
        "json",
      );
      const finding = await expectFound("differs", "Service kube-system/kube-dns");
      await expectFound("no-endpoint", "Service kube-system/kube-dns");
      await x.mended(finding);
    });

    it("a Service that is gone", async () => {
      await objects().delete("service", "cluster-dns-webhook", "kube-system");
      await x.mended(await expectFound("missing", "Service kube-system/cluster-dns-webhook"));
      await objects().delete("service", "node-local-dns", "kube-system");
      await x.mended(await expectFound("missing-aside", "Service kube-system/node-local-dns"));
    });

    it("a Corefile that somebody wrote over: the ConfigMap is immutable, so it was made anew", async () => {
      const [name] = await configMapOf("coredns");
      x.putBack(x.reapply);
      await objects().delete("configmap", name, "kube-system");
      const metadata = { name, namespace: "kube-system" };
      await objects().apply([
        { apiVersion: "v1", kind: "ConfigMap", metadata, data: { Corefile: ".:53 {\n  forward . {\n" } },
      ]);
      await expectFound("corefile-unreadable", `ConfigMap kube-system/${name}`);
      const finding = await expectFound("differs", `ConfigMap kube-system/${name}`);
      expect(finding.next).toContainEqual(expect.objectContaining({ args: expect.arrayContaining(["delete", name]) }));
      await objects().delete("configmap", name, "kube-system");
      await x.mended(finding);
    });

    it("kube-proxy's mode, and the ConfigMap that tells it", async () => {
      const kubeProxy = async (mode: string) => {
        await objects().apply([kubeProxyIn(mode)]);
      };
      x.putBack(() => kubeProxy("iptables"));
      await kubeProxy("ipvs");
      await expectFound("proxy-mode-differs", "kube-proxy");
      await objects().delete("configmap", "kube-proxy", "kube-system");
      await expectFound("proxy-mode-unread", "kube-proxy");
    });

    it("a pod of nobody's with CoreDNS's label, and an endpoint that is no pod's", async () => {
      await objects().apply([
        pod({ name: "debug", namespace: "kube-system", labels: { "k8s-app": "kube-dns" }, node: "node-1" }),
        {
          apiVersion: "discovery.k8s.io/v1",
          kind: "EndpointSlice",
          metadata: { name: "foreign", namespace: "kube-system", labels: { "kubernetes.io/service-name": "kube-dns" } },
          addressType: "IPv4",
          endpoints: [{ addresses: ["192.0.2.1"] }],
          ports: [{ name: "dns", port: 53, protocol: "UDP" }],
        } as KubernetesObject,
      ]);
      x.putBack(
        () => objects().delete("pod", "debug", "kube-system"),
        () => objects().delete("endpointslice", "foreign", "kube-system"),
      );
      await expectFound("foreign-endpoint", "Service kube-system/kube-dns", {
        evidence: /an endpoint, but no pod of the selector: 192\.0\.2\.1/,
      });
      await x.mended(await expectFound("stray-pod", "pod kube-system/debug on node-1"));
    });

    it("a second Deployment with the labels of CoreDNS's pods", async () => {
      const { spec } = (await objects().get("deployment", "coredns", "kube-system")) as Workload & KubernetesObject;
      const own = {
        ...spec.template.spec,
        terminationGracePeriodSeconds: 1,
        affinity: null,
        topologySpreadConstraints: null,
      };
      const second = { ...spec, replicas: 1, template: { ...spec.template, spec: own } };
      const metadata = { name: "second", namespace: "kube-system" };
      x.putBack(() => objects().delete("deployment", "second", "kube-system"));
      await objects().apply([
        { apiVersion: "apps/v1", kind: "Deployment", metadata, spec: second } as KubernetesObject,
      ]);
      await expectFound("other-dns", "Deployment kube-system/second");
    });

    it("a quota that refuses pods, those of CoreDNS and of the smoke test", async () => {
      const quota = { name: "no-more-pods", namespace: "kube-system" };
      // A ReplicaSet that was refused tries again after seconds, minutes at last, or when it changes.
      const tryAgain = ["annotate", "replicasets", "-n", quota.namespace, "-l", "k8s-app=kube-dns", "quota=gone"];
      x.putBack(
        x.reapply,
        async () => void (await objects().run(tryAgain)),
        () => objects().delete("resourcequota", quota.name, quota.namespace),
      );
      await objects().apply([
        { apiVersion: "v1", kind: "ResourceQuota", metadata: quota, spec: { hard: { pods: "1" } } } as KubernetesObject,
      ]);
      // Until its controller has counted pods, it refuses none.
      const counted = async () =>
        (await objects().get<{ status?: { used?: object } }>("resourcequota", quota.name, quota.namespace))?.status
          ?.used;
      await eventually("a quota that counts", 60, counted, (got) => expect(got).toHaveProperty("pods"));
      const pods = await objects().list("pods", "kube-system", "k8s-app=kube-dns");
      const running = pods.find(({ metadata }) => metadata["deletionTimestamp"] === undefined);
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

    it("a node-local-dns of somebody else, and what it left", async () => {
      const metadata = { name: "nodelocaldns", namespace: "kube-system" };
      const labels = { "k8s-app": "nodelocaldns" };
      x.putBack(
        () => objects().delete("daemonset", metadata.name, metadata.namespace),
        () => objects().delete("configmap", metadata.name, metadata.namespace),
      );
      const containers = [{ name: "node-cache", image: "registry.k8s.io/dns/k8s-dns-node-cache:1.26.4" }];
      const template = { metadata: { labels }, spec: { nodeSelector: { no: "node" }, containers } };
      await objects().apply([
        { apiVersion: "apps/v1", kind: "DaemonSet", metadata, spec: { selector: { matchLabels: labels }, template } },
        { apiVersion: "v1", kind: "ConfigMap", metadata, data: {} },
      ] as KubernetesObject[]);
      await expectFound("other-cache", "DaemonSet kube-system/nodelocaldns");
      await x.mended(await expectFound("other-cache-left", "ConfigMap kube-system/nodelocaldns"));
    });
  });

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
