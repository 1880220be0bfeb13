import { isMapping, own } from "../syntax/mapping";
import { type Problem, formatPath } from "../syntax/problem";
import { type Difference, differences } from "./differences";
import { parseQuantity } from "../syntax/quantity";
import { show } from "../syntax/show";

/** Where a running value differs from the rendered one: not in what the API server adds, or drops because it is empty. */
export function unlikeRendered(running: unknown, rendered: unknown, path: Problem["path"] = []): Difference[] {
  return differences(byName(running), byName(rendered), path).filter(isOurs);
}

/** With mappings in the place of lists whose items have names or keys: one more changes the places of the others. */
function byName(value: unknown): unknown {
  if (isMapping(value)) return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, byName(each)]));
  if (!Array.isArray(value)) return value;
  const items = value.map(byName);
  const named = new Map(items.map((item) => [nameOf(item), item]));
  const isNamed = items.length > 0 && named.size === items.length && !named.has(undefined);
  return isNamed ? Object.fromEntries(named) : items;
}

/** Of a container, a spread constraint, a requirement of a selector ... */
export function nameOf(item: unknown): unknown {
  return isMapping(item) ? (item["name"] ?? item["topologyKey"] ?? item["key"]) : undefined;
}

function isOurs({ path, before, after }: Difference): boolean {
  if (before === undefined) return !isEmpty(after);
  if (after === undefined) return !(isEmpty(before) || isOfServer(path, before));
  return !(path.includes("resources") && nanosOf(before) !== undefined && nanosOf(before) === nanosOf(after));
}

function nanosOf(quantity: unknown): bigint | undefined {
  return parseQuantity(String(quantity))?.nanos;
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && Object.keys(value ?? {}).length === 0;
}

/** `spec.dnsPolicy is "ClusterFirst", the cluster file renders "Default"` */
export function toldDifference({ path, before, after }: Difference, who = "the cluster file renders"): string {
  const is = before === undefined ? "not set" : show(before);
  return `${formatPath(path)} is ${is}, ${who} ${after === undefined ? "nothing there" : show(after)}`;
}

/**
 * Whether a field that nobody set is there because the API server, or a controller, filled it in: of Deployments,
 * DaemonSets and Services (pkg/apis/{apps,core}/v1/defaults.go), of CiliumLocalRedirectPolicies, and of webhooks.
 */
function isOfServer([first, ...path]: Problem["path"], value: unknown): boolean {
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
