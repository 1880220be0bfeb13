import type { LocatedProblem } from "../config/located-problem";
import { defaults } from "../model/defaults";

export interface Application {
  readonly file: string;
  readonly server: string;
}

/** Each would prune and heal what the other applies. All may name their own cluster, if each has an Argo CD. */
export function sharedServers(applications: readonly Application[]): {
  readonly problems: readonly LocatedProblem[];
  readonly notes: readonly LocatedProblem[];
} {
  const own = defaults.argocd.server;
  const first = new Map<string, string>();
  const problems: LocatedProblem[] = [];
  const inOwn: string[] = [];
  for (const { file, server } of applications) {
    const canonical = canonicalServer(server);
    const same = first.get(canonical);
    if (canonical === canonicalServer(own)) inOwn.push(file);
    else if (same === undefined) first.set(canonical, file);
    else problems.push({ file, message: `gitops.argocd.server: ${server} is that of ${same}, too; keep one` });
  }
  const [file] = inOwn;
  if (file === undefined || inOwn.length === 1) return { problems, notes: [] };
  const message = `the Applications of ${inOwn.length} clusters are for ${own}: right only if each cluster has an Argo CD of its own; otherwise set gitops.argocd.server in each cluster file`;
  return { problems, notes: [{ file, message }] };
}

/** One spelling for each server: host in lower case, no port that its scheme implies, no slash at the end. */
function canonicalServer(server: string): string {
  return new URL(server).href.replace(/\/+$/, "");
}
