import { describe, expect, it } from "vitest";
import type { KubernetesObject } from "../../../../rig/cluster/kubectl";
import { pod } from "../../../../rig/cluster/objects";
import { issue, lifetimeMs } from "../../../../src/agent/webhook/certificates/issue";
import { renderCluster } from "../../../../src/charts/render-cluster";
import { clusterOf } from "../../../../src/model/cluster/cluster";
import type { Examined } from "./examined";
import { eventually } from "../../../eventually";

interface PodTemplate {
  readonly template: {
    readonly spec: { readonly volumes: readonly { readonly secret?: { readonly secretName: string } }[] };
  };
}

const day = 24 * 3600 * 1000;
const longAgo = new Date("2020-01-01");

/** Pods, and the webhook that changes them. */
export function podsAndWebhooks(x: Examined): void {
  const { expectFound } = x;
  describe("finds pods and webhooks that are not as they should be:", () => {
    const webhook = "cluster-dns-webhook";

    it("the webhook's Service with another port, and a pod that slipped through meanwhile", async () => {
      await x.patch("service", webhook, [{ op: "replace", path: "/spec/ports/0/port", value: 8443 }], "json");
      const finding = await expectFound("differs", `Service kube-system/${webhook}`);
      await x.cluster().kubectl.apply([pod({ name: "slipped", namespace: "bar" })]);
      x.putBack(() => x.cluster().kubectl.delete("pod", "slipped", "bar"));
      await expectFound("tenant-dns-missing", /^pod bar\/slipped on /);
      await x.mended(finding);
    });

    it.each([
      ["no caBundle", undefined, "trusts-nothing"],
      ["a certificate that has expired", () => longAgo, "trusts-nothing-valid"],
      ["a certificate of somebody else's", () => new Date(), "trusts-differ"],
    ] as const)("%s", async (_what, made, id) => {
      const path = "/webhooks/0/clientConfig/caBundle";
      const change = made ? { op: "replace", path, value: await authority(made()) } : { op: "remove", path };
      const ids = async () => {
        // The webhook restores it within a minute.
        const args = ["patch", "mutatingwebhookconfiguration", webhook, "--type=json", "-p", JSON.stringify([change])];
        await x.cluster().kubectl.attempt(args);
        return (await x.findings()).map((finding) => finding.id);
      };
      await eventually("the finding", 60, ids, (got) => expect(got).toContain(id));
    });

    it.each([
      ["certificate-expires" as const, () => new Date(Date.now() - lifetimeMs + day / 2)],
      ["certificate-expired" as const, () => longAgo],
    ])("a webhook that %s, which somebody else should renew", async (id, made) => {
      const { kubectl } = x.cluster();
      x.putBack(x.reapply);
      const certificates = { admission: { ...x.props.admission, webhook: { certificates: "cert-manager" as const } } };
      const objects = renderCluster(clusterOf({ ...x.props, ...certificates })).components.flatMap(
        (component) => component.objects as readonly object[] as readonly (KubernetesObject & { spec: PodTemplate })[],
      );
      const config = objects.filter(({ kind, metadata }) => kind === "ConfigMap" && metadata.name.startsWith(webhook));
      const deployment = objects.find(({ kind, metadata }) => kind === "Deployment" && metadata.name === webhook);
      const secret = deployment?.spec.template.spec.volumes.find((each) => each.secret)?.secret?.secretName;
      if (!deployment || secret === undefined)
        throw new Error("no Secret of cert-manager's in the webhook's Deployment");
      const { certificate, key } = await issue([`${webhook}.kube-system.svc`], made());
      const metadata = { name: secret, namespace: "kube-system" };
      await kubectl.run(["delete", "deployment", webhook, "-n", "kube-system"]);
      await kubectl.apply([
        { apiVersion: "v1", kind: "Secret", metadata, stringData: { "tls.crt": certificate, "tls.key": key } },
        ...config,
        deployment,
      ] as KubernetesObject[]);
      x.putBack(
        () => kubectl.delete("secret", secret, "kube-system"),
        () => kubectl.delete("deployment", webhook, "kube-system"),
      );
      await expectFound(id, /^pod kube-system\/cluster-dns-webhook-/, { described: certificates });
    });

    it("searches of another tenant, other servers, the host's network, and busybox", async () => {
      const { kubectl } = x.cluster();
      const names = ["stray", "own", "host", "try"];
      x.putBack(async () => {
        for (const name of names) await kubectl.delete("pod", name, "free");
      });
      await kubectl.apply([
        pod({ name: "stray", namespace: "free", spec: { dnsConfig: { searches: ["acme.svc.cluster.local"] } } }),
        pod({
          name: "own",
          namespace: "free",
          spec: { dnsPolicy: "None", dnsConfig: { nameservers: ["192.0.2.53"] } },
        }),
        pod({ name: "host", namespace: "free", spec: { hostNetwork: true } }),
        pod({ name: "try", namespace: "free", spec: { containers: [{ name: "c", image: "busybox:1.36" }] } }),
      ]);
      await expectFound("tenant-dns-strays", /^pod free\/stray on /);
      await expectFound("asks-others", /^pod free\/own on /);
      await expectFound("host-network", /^pod free\/host on /);
      await expectFound("busybox", /^pod free\/try on /);
    });
  });
}

/** @returns An authority's certificate, as a caBundle. */
async function authority(made: Date): Promise<string> {
  const { authority: pem } = await issue(["somebody"], made);
  return Buffer.from(pem).toString("base64");
}
