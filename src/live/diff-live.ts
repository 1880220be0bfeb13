import { renderCluster, type RenderedCluster } from "../charts/render-cluster";
import type { LocatedProblem } from "../config/located-problem";
import { type NamedCluster, readCluster } from "../config/read-clusters";
import { appliersOf, inForceIn } from "../model/changes/in-force-in";
import { changes } from "../model/changes/changes";
import { withFixedFields } from "../model/changes/fixed-fields";
import { leaveFlux } from "../model/changes/pruning";
import type { Cluster } from "../model/cluster/cluster";
import { kubectl as kubectlCommand } from "../model/command";
import { isKept } from "../model/gitops/annotations";
import { identity, type KubernetesObject } from "../model/kubernetes/object";
import { resourceOf } from "../model/kubernetes/resource";
import { namespace } from "../model/object-names";
import type { KubeProxyMode } from "../model/props/cluster-dns";
import { type Dns, findDns } from "../model/running/find-dns";
import { otherProxyMode, type Proxy } from "../model/running/find-proxy";
import { inForce } from "../model/steps/in-force";
import { byHand, type Step, stepInContext, warning } from "../model/steps/step";
import { errorMessage } from "../model/syntax/error-message";
import { grouped } from "../model/syntax/grouped";
import { steps } from "../model/steps/steps";
import type { ClusterDiff } from "../output/diff-clusters";
import { gitOpsOf } from "../output/rendering";
import { type Ask, dryRun, lacksBuiltIn, mounted, own, present } from "./ask-objects";
import { contextFault, kubectl } from "./kubectl";
import { readState } from "./read-state";

interface LiveOptions {
  readonly clustersFolder: string;
  /** The cluster; without one, the folder's only cluster. */
  readonly name: string | undefined;
  /** Of the kubeconfig; its current one if undefined. */
  readonly context: string | undefined;
  /** Who applies the objects: fields that a cluster file no longer sets are removed if they are this manager's. */
  readonly fieldManager: string;
}

/** By a dry run on the API server: with what it fills in and admission changes. Kubelets are not asked. */
export function diffLive({ clustersFolder, name, context, fieldManager }: LiveOptions): {
  readonly problems: readonly LocatedProblem[];
  readonly diffs: readonly ClusterDiff[];
} {
  const problem = (message: string): LocatedProblem => ({ message });
  const named = readCluster(clustersFolder, name, "to compare");
  if ("problems" in named) return { ...named, diffs: [] };
  const rendered = renderCluster(named.cluster);
  const ask: Ask = (args, input) => kubectl(args, context, input);
  const answers = askAll(rendered, fieldManager, ask);
  if (answers.problems) return { problems: [...answers.problems, ...contextFault(context)].map(problem), diffs: [] };
  const { steps: ofState, failures } = askState(named.cluster, ask);
  const diff = compare(named, rendered, answers);
  const here = (all: readonly Step[]) => all.map((step) => stepInContext(step, context));
  const objects = diff.objects.map((each) => ({ ...each, steps: here(each.steps) }));
  const all = { ...diff, steps: here([...diff.steps, ...ofState]), objects };
  return {
    problems: [...answers.failures, ...failures].map(problem),
    diffs: all.objects.length + all.steps.length > 0 ? [all] : [],
  };
}

/** What the cluster has, and what it would have; `problems` are those that leave nothing to compare. */
function askAll({ components }: RenderedCluster, fieldManager: string, ask: Ask) {
  const rendered = components.flatMap(({ objects }) => objects);
  const resources = ask(["api-resources", "--verbs=list", "-o", "name"]);
  // It also fails if the server of a single API is down, and prints the others.
  if (resources.stdout === "") return { problems: [resources.failure ?? "kubectl prints no resources"] };
  const served = new Set(resources.stdout.split("\n"));
  const isServed = (object: KubernetesObject) => served.has(resource(object));
  const applied = dryRun(rendered.filter(isServed), fieldManager, ask);
  const unserved = withoutKind(rendered.filter((object) => !isServed(object)));
  if (rendered.length > 0 && applied.objects.length === 0) {
    const problems = [...unserved, ...applied.failures];
    return { problems: problems.length > 0 ? problems : ["kubectl prints no objects"] };
  }
  // An object that the server refuses is a problem, not a deletion.
  const isAccepted = memberOf(applied.objects);
  const refused = rendered.filter((object) => !isAccepted(identity(object)));
  const there = present(applied.objects, ask);
  const ours = own(served, ask);
  // Why these cannot be asked for is told already.
  const silent = refused.filter(isServed);
  const found = [there, ours, present(silent, ask)].flatMap(({ objects }) => objects);
  const known = [...new Map(found.map((object) => [identity(object), object])).values()];
  const others = mounted(known, ask);
  return {
    /** As they would be. */
    applied: applied.objects,
    /** What the server does not take: as it was rendered. */
    refused,
    /** What there is of these, and of what we applied before. */
    known,
    /** All that we ever applied. */
    ours: ours.objects,
    /** What somebody else applied, and ours takes the place of. */
    others: others.objects,
    failures: [
      ...(resources.failure !== undefined && lacksBuiltIn(served) ? [resources.failure] : []),
      ...unserved,
      ...(silent.length > 0 && applied.failures.length === 0
        ? [`kubectl did not say what becomes of ${silent.map(identity).join(", ")}`]
        : []),
      ...[applied, there, ours, others].flatMap((answer) => answer.failures),
    ],
  };
}

function resource({ apiVersion, kind }: KubernetesObject): string {
  return resourceOf(apiVersion, kind);
}

/** What the server would refuse because it has no such kind. */
function withoutKind(objects: readonly KubernetesObject[]): string[] {
  return grouped(objects, resource).map(
    ([missing, same]) =>
      `the cluster does not serve ${missing}, so it would refuse ${same.map(identity).join(", ")}; install the CRD, or the version of Kubernetes, that has this kind first`,
  );
}

type Answers = Extract<ReturnType<typeof askAll>, { readonly applied: unknown }>;

function compare(named: NamedCluster, rendered: RenderedCluster, answers: Answers): ClusterDiff {
  const { applied, refused, known, ours, others } = answers;
  // Not compared, as they may be in another cluster: they say what is pruned.
  const next = Object.values(gitOpsOf(named, rendered)).flat();
  const controllers = { before: appliersOf(ours, next), after: next };
  const all = [...known, ...others, ...controllers.before];
  const old = { objects: all, inForce: inForceIn(all) };
  const now = inForce(named.cluster);
  const versionWith = (some: readonly KubernetesObject[]) => ({
    objects: [...applied, ...some, ...controllers.after],
    inForce: now,
  });
  // The server fills in nothing that it refuses.
  const inPlace = refused.flatMap((object) =>
    known.filter((each) => identity(each) === identity(object)).map((each) => withFixedFields(each, object)),
  );
  const isUncompared = memberOf([...controllers.before, ...controllers.after]);
  // What is kept from pruning is left of an earlier description, and stays; as does what was never ours.
  const stays = memberOf([...known.filter(({ metadata }) => isKept(metadata.annotations)), ...others]);
  return {
    name: named.name,
    steps: [...steps(old.inForce, now), ...leaveFlux(old, versionWith(refused))],
    objects: changes(old, versionWith(inPlace)).filter(
      ({ what, object }) => !isUncompared(object) && !(what === "deleted" && stays(object)),
    ),
    kubelet: [],
  };
}

function askState(cluster: Cluster, ask: Ask): { readonly steps: readonly Step[]; readonly failures: string[] } {
  const resources = "configmaps,deployments,daemonsets";
  const { stdout, failure } = ask(["get", resources, "--namespace", namespace, "-o", "json"]);
  if (failure !== undefined) return { steps: [], failures: [failure] };
  try {
    const state = readState(stdout);
    const dns = findDns(state);
    return { steps: [...otherMode(dns.proxy, cluster.said.kubeProxyMode), ...deleteCorefiles(dns)], failures: [] };
  } catch (error) {
    return { steps: [], failures: [`kubectl get ${resources}: ${errorMessage(error)}`] };
  }
}

function otherMode(proxy: Proxy, said: KubeProxyMode): Step[] {
  return (otherProxyMode(proxy, said)?.evidence ?? []).map(({ mode, source }) =>
    warning(
      "correct-proxy-mode",
      `kubeProxyMode is ${said}, but ${source} says ${mode}: rules for another mode do not fit the node`,
    ),
  );
}

/** Corefiles that nothing reads any more, such as kubeadm's once ours has taken its place. */
function deleteCorefiles(dns: Dns): Step[] {
  return dns.leftCorefiles.map(({ metadata: { name } }) =>
    byHand(
      "delete-leftover",
      "after",
      `no workload mounts ConfigMap ${namespace}/${name}, the Corefile of a CoreDNS before ours; delete it once you will not go back to that`,
      kubectlCommand("delete", "configmap", name, "--namespace", namespace),
    ),
  );
}

function memberOf(objects: readonly KubernetesObject[]): (name: string) => boolean {
  const names = new Set(objects.map(identity));
  return (name) => names.has(name);
}
