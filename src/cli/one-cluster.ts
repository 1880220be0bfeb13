import { inSentence, listClusterFiles } from "../config/list-cluster-files";
import { UsageError } from "./command";

/**
 * The cluster that a command is about.
 *
 * @throws UsageError if the command line names none, or several.
 */
export function oneCluster(names: readonly string[], folder: string): string {
  const [name, ...more] = names;
  if (name !== undefined && more.length === 0) return name;
  const listed = listClusterFiles(folder);
  const known = "problem" in listed ? "" : `; ${folder} has ${inSentence(listed.files.map((file) => file.name))}`;
  throw new UsageError(`takes one cluster, but got ${names.length}${known}`);
}
