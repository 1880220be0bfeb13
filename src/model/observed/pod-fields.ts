import { differences } from "../changes/differences";
import { authoritativeLabels, names } from "../object-names";
import { formatPath } from "../syntax/problem";
import { show } from "../syntax/show";

type Fields = { readonly [field: string]: unknown };

/** A container as far as it is compared. */
export interface SeenContainer extends Fields {
  readonly name: string;
  readonly image?: string;
  readonly resources?: object;
  readonly env?: readonly { readonly name: string }[];
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string; readonly subPath?: string }[];
}

/** A pod's spec as far as it is compared. */
export interface SeenPod extends Fields {
  readonly initContainers?: readonly SeenContainer[];
  readonly containers?: readonly SeenContainer[];
  readonly volumes?: readonly {
    readonly name?: string;
    readonly configMap?: {
      readonly name: string;
      readonly optional?: boolean;
      readonly items?: readonly { readonly key: string; readonly path: string }[];
    };
  }[];
}

/** Fields of CoreDNS's pods that a cluster file cannot express, each with what ours is, unless ours has none. */
export function podFields(pod: SeenPod, dns: SeenContainer | undefined): string[] {
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
