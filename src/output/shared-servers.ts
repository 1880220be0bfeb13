import type { LocatedProblem } from "../config/located-problem";
import type { NamedCluster } from "../config/read-clusters";
import { defaults } from "../model/defaults";

/**
 * Applications of Argo CD for one API server: each would prune and heal what the other applies. Its own cluster may be
 * named by all, if each has an Argo CD of its own.
 */
export function sharedServers(clusters: readonly NamedCluster[]): {
  readonly problems: readonly LocatedProblem[];
  readonly notes: readonly LocatedProblem[];
} {
  const own = defaults.argocd.server;
  const first = new Map<string, string>();
  const problems: LocatedProblem[] = [];
  const inOwn: string[] = [];
  for (const { files, cluster } of clusters) {
    const [file] = files;
    const { argocd } = cluster.gitops ?? {};
    if (argocd === undefined) continue;
    const { server = own } = argocd;
    const same = first.get(server);
    if (server === own) inOwn.push(file);
    else if (same === undefined) first.set(server, file);
    else problems.push({ file, message: `gitops.argocd.server: ${server} is that of ${same}, too; keep one` });
  }
  const [file] = inOwn;
  if (file === undefined || inOwn.length === 1) return { problems, notes: [] };
  const message = `the Applications of ${inOwn.length} clusters are for ${own}: right only if each cluster has an Argo CD of its own; otherwise set gitops.argocd.server in each cluster file`;
  return { problems, notes: [{ file, message }] };
}
