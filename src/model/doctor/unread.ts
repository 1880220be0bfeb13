import { namespace } from "../object-names";
import { type Finding, grouped, some } from "./finding";
import { type Described, type Observed, systemPods, type Unread } from "./observed";

/** What could not be read, and so was not checked. */
export function unread(observed: Observed, described?: Described): Finding[] {
  const shut = observed.unread.filter((each) => mayBeShut(each, observed, described));
  const others = observed.unread.filter((each) => !shut.includes(each));
  return [
    ...grouped(others, ({ why }) => why.replace(/"[^"]*"/g, "")).map(([, same]) => findingOf(same, observed)),
    ...(shut.length > 0 ? [shutFinding(shut, observed)] : []),
  ];
}

function findingOf(same: readonly Unread[], observed: Observed): Finding {
  const [{ why = "", path = "" } = {}] = same;
  const nodes = same.map((each) => nodeOf(each, observed));
  return {
    severity: same.some((each) => isEssential.test(each.path)) ? "error" : "warning",
    title: "could not be read, and was not checked",
    ...(nodes.includes(undefined) ? {} : { nodes: [...new Set(nodes)].map(String) }),
    where: some(same.map(({ what }) => what)),
    evidence: [why],
    next: [`kubectl get --raw '${path}'`],
  };
}

/** Of whom a page is; undefined: not of one node or pod. */
function nodeOf({ path }: Unread, observed: Observed): string | undefined {
  const [, kind, name] = /\/(nodes|pods)\/([^/:?]+)/.exec(path) ?? [];
  return kind === "pods" ? systemPods(observed).find(({ metadata }) => metadata.name === name)?.spec.nodeName : name;
}

const portOfPod = /\/pods\/([^/:]+):(\d+)\/proxy\//;

/** Whether our network policies may keep the API server from a pod. The webhook's own, by default, does not. */
function mayBeShut({ why, path }: Unread, observed: Observed, described: Described | undefined): boolean {
  const policies = described?.cluster.networkPolicies;
  if (!policies || policies.onlyWebhook || !/error trying to reach service|no answer within/.test(why)) return false;
  const pod = systemPods(observed).find(({ metadata }) => metadata.name === portOfPod.exec(path)?.[1]);
  return pod !== undefined && pod.spec.hostNetwork !== true;
}

function shutFinding(shut: readonly Unread[], observed: Observed): Finding {
  const finding = findingOf(shut, observed);
  const [, pod, port] = portOfPod.exec(shut[0]?.path ?? "") ?? [];
  return {
    ...finding,
    severity: "info",
    evidence: [
      ...finding.evidence,
      "as expected where networkPolicies are enforced: they do not let the API server in",
    ],
    next: [`kubectl port-forward -n ${namespace} ${pod} ${port}  # then: curl -s http://127.0.0.1:${port}/metrics`],
  };
}

/** The lists without which nobody can say that DNS works. */
const isEssential = /\/(services|endpointslices|pods|deployments|daemonsets)(\?|$)/;
