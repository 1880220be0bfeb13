import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { tool } from "../../../rig/tools";
import { root } from "../../repository";

it("the overlay of examples/kustomize adds fields to CoreDNS's pods, and keeps ours", () => {
  const built = execFileSync(tool("kubernetes", "kubectl"), ["kustomize", join(root, "examples/kustomize")], {
    encoding: "utf8",
  });
  const objects = parseAllDocuments(built).map((each) => each.toJS() as { kind: string; metadata: { name: string } });
  const deployment = objects.find(({ kind, metadata: { name } }) => kind === "Deployment" && name === "coredns");
  const configMap = objects.find(({ kind, metadata: { name } }) => kind === "ConfigMap" && name.startsWith("coredns-"));
  expect(deployment).toMatchObject({
    spec: {
      template: {
        spec: {
          priorityClassName: "platform-critical",
          imagePullSecrets: [{ name: "registry" }],
          affinity: { nodeAffinity: expect.anything(), podAntiAffinity: expect.anything() },
          topologySpreadConstraints: [
            { topologyKey: "example.com/rack" },
            { topologyKey: "topology.kubernetes.io/zone" },
          ],
          containers: [
            {
              env: [{ name: "AWS_SHARED_CREDENTIALS_FILE" }, { name: "GOMEMLIMIT" }],
              volumeMounts: [{ mountPath: "/etc/aws" }, { mountPath: "/etc/coredns" }],
            },
          ],
          volumes: [
            { name: "aws", secret: { secretName: "route53" } },
            { name: "config-volume", configMap: { name: configMap?.metadata.name } },
          ],
        },
      },
    },
  });
});
