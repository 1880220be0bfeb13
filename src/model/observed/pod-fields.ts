import { differences } from "../kubernetes/differences";
import type { Container, PodSpec } from "../kubernetes/kinds";
import type { Fields } from "../kubernetes/object";
import { authoritativeLabels, names } from "../object-names";
import { formatPath } from "../syntax/problem";
import { show } from "../syntax/show";

/** Fields of CoreDNS's pods that a cluster file cannot express, each with what ours is, unless ours has none. */
export function podFields(pod: Partial<PodSpec>, dns: Container | undefined): string[] {
  const { initContainers = [], containers = [], volumes = [] } = pod;
  const env = (dns?.env ?? []).filter(({ name }) => name !== "GOMEMLIMIT");
  return [
    ...unlike(pod, ours, elsewhere),
    ...[...initContainers, ...containers.filter((each) => each !== dns)].map(({ name }) => `container ${name}`),
    ...volumes.filter(({ configMap }) => !configMap).map(({ name }) => `volume ${name}`),
    ...unlike(dns ?? {}, oursInContainer, elsewhereInContainer),
    // Values may be secret.
    ...env.map(({ name }) => `env ${name}`),
  ];
}

/** Ours, and the API server's defaults. */
const ours: Fields = {
  dnsPolicy: "Default",
  priorityClassName: "system-cluster-critical",
  restartPolicy: "Always",
  schedulerName: "default-scheduler",
  securityContext: { seccompProfile: { type: "RuntimeDefault" } },
  serviceAccountName: names.authoritativeDns,
  terminationGracePeriodSeconds: 30,
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: "topology.kubernetes.io/zone",
      whenUnsatisfiable: "ScheduleAnyway",
      labelSelector: { matchLabels: authoritativeLabels },
      matchLabelKeys: ["pod-template-hash"],
    },
  ],
};

const elsewhere = new Set([
  "affinity",
  "containers",
  "initContainers",
  "nodeSelector",
  "serviceAccount",
  "tolerations",
  "volumes",
]);

const oursInContainer: Fields = { args: ["-conf", "/etc/coredns/Corefile"] };

/** Read elsewhere or, like probes, the same for every CoreDNS in other words. */
const elsewhereInContainer = new Set([
  "env",
  "image",
  "imagePullPolicy",
  "livenessProbe",
  "name",
  "ports",
  "readinessProbe",
  "resources",
  "securityContext",
  "terminationMessagePath",
  "terminationMessagePolicy",
  "volumeMounts",
]);

function unlike(fields: Fields, usual: Fields, known: ReadonlySet<string>): string[] {
  return Object.entries(fields)
    .filter(([field]) => !known.has(field))
    .flatMap(([field, value]) => {
      if (!(field in usual)) return isEmpty(value) ? [] : [`${field} ${show(value)}`];
      return differences(value, usual[field], [field])
        .filter(({ before }) => !isEmpty(before))
        .map(({ path, before, after }) => {
          const what = after === undefined ? "none" : show(after);
          return `${formatPath(path)} ${show(before)}; ours: ${what}`;
        });
    });
}

function isEmpty(value: unknown): boolean {
  return (value ?? false) === false || (typeof value === "object" && Object.keys(value ?? {}).length === 0);
}
