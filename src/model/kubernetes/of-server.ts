import { isMapping, own } from "../syntax/mapping";
import type { Problem } from "../syntax/problem";
import { differences } from "./differences";

/** Whether the API server, or a controller, filled a field in (pkg/apis/{apps,core}/v1/defaults.go). */
export function isOfServer([first, ...path]: Problem["path"], value: unknown): boolean {
  // Others add labels and annotations as well.
  if (first !== "spec" && first !== "webhooks") return true;
  const names = path.filter((step) => typeof step === "string");
  const [last = "", parent = "", list] = names.toReversed();
  if (parent === "annotations") return isOfKubectl(last);
  if (last === "annotations") return isMapping(value) && Object.keys(value).every(isOfKubectl);
  // Azure keeps webhooks from its own namespaces.
  if (list === "namespaceSelector") return true;
  // It makes a sidecar of the container.
  if (last === "restartPolicy" && list === "initContainers") return false;
  // A mapping is an item of a list, by its name.
  if (ofCluster.has(last) && !isMapping(value)) return true;
  return (own(filledIn, last) ?? []).some((each) => differences(each, value).length === 0);
}

/** Such as the time of `kubectl rollout restart`. */
function isOfKubectl(annotation: string): boolean {
  return annotation.startsWith("kubectl.kubernetes.io/");
}

/** What only the cluster knows: addresses, the time of creation, pods as an autoscaler wants them, a port as another. */
const ofCluster: ReadonlySet<string> = new Set([
  "clusterIP",
  "clusterIPs",
  "creationTimestamp",
  "ipFamilies",
  "ipFamilyPolicy",
  "replicas",
  // The older name of serviceAccountName.
  "serviceAccount",
  "targetPort",
]);

const rollingUpdate = { maxSurge: "25%", maxUnavailable: "25%" };

const filledIn: { readonly [field: string]: readonly unknown[] } = {
  apiVersion: ["v1"],
  defaultMode: [0o644],
  divisor: ["0"],
  dnsPolicy: ["ClusterFirst"],
  expirationSeconds: [3600],
  failureThreshold: [3],
  imagePullPolicy: ["IfNotPresent", "Always"],
  internalTrafficPolicy: ["Cluster"],
  maxSurge: [0, "25%"],
  maxUnavailable: [1, "25%"],
  path: ["/"],
  periodSeconds: [10],
  progressDeadlineSeconds: [600],
  protocol: ["TCP"],
  restartPolicy: ["Always"],
  revisionHistoryLimit: [10],
  rollingUpdate: [rollingUpdate, { maxSurge: 0, maxUnavailable: 1 }],
  schedulerName: ["default-scheduler"],
  scheme: ["HTTP"],
  service: [""],
  sessionAffinity: ["None"],
  skipRedirectFromBackend: [false],
  strategy: [{ type: "RollingUpdate", rollingUpdate }],
  successThreshold: [1],
  terminationGracePeriodSeconds: [30],
  terminationMessagePath: ["/dev/termination-log"],
  terminationMessagePolicy: ["File"],
  timeoutSeconds: [1],
  type: ["", "ClusterIP", "RollingUpdate"],
  updateStrategy: [{ type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } }],
};
