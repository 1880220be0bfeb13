import type { Cluster } from "../model/cluster/cluster";
import { onOneLine } from "../model/syntax/printable";

export interface LocatedProblem {
  /** Absent if it concerns no single file. */
  readonly file?: string;
  /** Line and column, from 1; absent if the problem concerns the whole file. */
  readonly position?: { readonly line: number; readonly column: number };
  readonly message: string;
  /** Of a note that is more than a note. */
  readonly isWarning?: true;
}

/** Of one file: more than anyone reads; each must be located in it. */
export const maxProblems = 1000;

/** `clusters/prod.yaml:4:16 kubeProxyMode: ...`, which editors and terminals turn into a link. */
export function formatProblem({ file, position, message }: LocatedProblem): string {
  const place = position ? `${file}:${position.line}:${position.column} ` : `${file}: `;
  return onOneLine(file === undefined ? message : place + message);
}

/** As a problem, but it says that it is none: `clusters/prod.yaml: note: ...`, or a warning. */
export function formatNote(note: LocatedProblem): string {
  return formatProblem({ ...note, message: `${note.isWarning ? "warning" : "note"}: ${note.message}` });
}

export function notesOf(file: string, { notes }: Cluster): LocatedProblem[] {
  return notes.map((message) => ({ file, message }));
}
