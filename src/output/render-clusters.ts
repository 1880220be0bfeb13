import { existsSync } from "node:fs";
import { inSentence, listClusterFiles } from "../config/list-cluster-files";
import { formatProblem, type LocatedProblem, notesOf } from "../config/located-problem";
import { forEachCluster } from "../config/read-clusters";
import { inDocs } from "../model/docs";
import { notApart } from "./apart";
import { headerPath } from "./header";
import { sizeProblems } from "./object-sizes";
import { ownClusters } from "./own-files";
import { render, type Rendering } from "./rendering";
import { type Application, sharedServers } from "./shared-servers";

export interface RenderOptions {
  readonly clustersFolder: string;
  readonly outputFolder: string;
  /** The clusters that are rendered; all of them without names. */
  readonly names?: readonly string[];
  /** What else may be wrong with a cluster, such as that no node takes its pods. */
  readonly check?: ((rendering: Rendering) => Checked) | undefined;
  /** Is told before a cluster is rendered how many are. */
  readonly onProgress?: (rendered: number, of: number) => void;
}

export interface Checked {
  readonly problems: readonly LocatedProblem[];
  readonly warnings: readonly LocatedProblem[];
}

/** Cluster files that cannot be rendered, or not like this. */
export class Refused extends Error {
  constructor(readonly problems: readonly LocatedProblem[]) {
    super(problems.map(formatProblem).join("\n"));
  }
}

/**
 * Reads and renders clusters one after the other.
 * @param use Is given each of them, while nothing is wrong with the cluster files.
 * @returns What users may not expect.
 * @throws Refused with everything that is wrong with the cluster files or, if nothing is, with what was rendered.
 */
export function renderClusters(options: RenderOptions, use: (rendering: Rendering) => void): LocatedProblem[] {
  const { clustersFolder, names = [], check, onProgress } = options;
  const notes: LocatedProblem[] = [];
  const refused: LocatedProblem[] = [];
  const warnings: LocatedProblem[] = [];
  const applications: Application[] = [];
  let rendered = 0;
  const problems = forEachCluster(clustersFolder, names, (named, count) => {
    onProgress?.(rendered++, count);
    const { files, cluster } = named;
    notes.push(...notesOf(files[0], cluster));
    const { argocd } = cluster.said.gitops ?? {};
    if (argocd) applications.push({ file: files[0], server: argocd.server });
    const rendering = render(named);
    use(rendering);
    refused.push(...sizeProblems(named, rendering.rendered, rendering.files));
    const checked = check?.(rendering);
    refused.push(...(checked?.problems ?? []));
    warnings.push(...(checked?.warnings ?? []));
  });
  if (problems.length > 0) throw new Refused([...problems, ...leftOver(options)]);
  const shared = sharedServers(applications);
  if (refused.length + shared.problems.length > 0) throw new Refused([...shared.problems, ...refused]);
  return [...notes, ...shared.notes, ...warnings];
}

/** @throws Refused if it would read and write one folder. */
export function checkApart({ clustersFolder, outputFolder }: RenderOptions): void {
  const misplaced = notApart(clustersFolder, outputFolder);
  if (misplaced !== undefined) throw new Refused([{ message: misplaced }]);
}

/** @throws Refused with everything that is wrong with the cluster files, without rendering any. */
export function checkClusterFiles({ clustersFolder, names = [] }: RenderOptions): void {
  const problems = forEachCluster(clustersFolder, names, () => {});
  if (problems.length > 0) throw new Refused(problems);
}

/** What is left of the last clusters: it is not deleted, for the folder may be the wrong one. */
function leftOver({ clustersFolder, outputFolder, names = [] }: RenderOptions): LocatedProblem[] {
  const isEmpty = !existsSync(clustersFolder) || "isEmpty" in listClusterFiles(clustersFolder);
  const owner = { clustersFolder: headerPath(clustersFolder) };
  const left = isEmpty && names.length === 0 ? ownClusters(outputFolder, owner, []) : [];
  if (left.length === 0) return [];
  const message = `still has ${inSentence(left)}, which no cluster file describes; restore the files (git checkout) or, if those clusters are gone, delete their folders here (${inDocs("gitops", "Leaving")})`;
  return [{ file: outputFolder, message }];
}
