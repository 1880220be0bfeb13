// Fields of pods that no prop sets, as patches of CoreDNS's Deployment.
import { App, Chart, JsonPatch } from "cdk8s";
import { ClusterDns } from "cdk8s-cluster-dns";

const app = new App({ outdir: process.env.OUT_DIR ?? "dist" });
const chart = new Chart(app, "platform");

const dns = new ClusterDns(chart, "dns", { clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables" });

const pod = "/spec/template/spec";
dns.authoritativeDns?.workload.addJsonPatch(
  JsonPatch.replace(`${pod}/priorityClassName`, "platform-critical"),
  JsonPatch.add(`${pod}/imagePullSecrets`, [{ name: "registry" }]),
  JsonPatch.add(`${pod}/affinity/nodeAffinity`, {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [
        {
          matchExpressions: [{ key: "node.kubernetes.io/instance-type", operator: "NotIn", values: ["t3.nano"] }],
        },
      ],
    },
  }),
  JsonPatch.add(`${pod}/topologySpreadConstraints/-`, {
    topologyKey: "example.com/rack",
    maxSkew: 1,
    whenUnsatisfiable: "ScheduleAnyway",
    labelSelector: { matchLabels: { "k8s-app": "kube-dns" } },
  }),
  JsonPatch.add(`${pod}/containers/0/env/-`, { name: "AWS_SHARED_CREDENTIALS_FILE", value: "/etc/aws/credentials" }),
  JsonPatch.add(`${pod}/containers/0/volumeMounts/-`, { name: "aws", mountPath: "/etc/aws", readOnly: true }),
  JsonPatch.add(`${pod}/volumes/-`, { name: "aws", secret: { secretName: "route53" } }),
);

app.synth();
