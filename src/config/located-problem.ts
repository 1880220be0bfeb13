/** One thing that is wrong, and where in which file. */
export interface LocatedProblem {
  readonly file: string;
  /** Line and column, from 1; absent where the file as a whole is meant. */
  readonly position?: { readonly line: number; readonly column: number };
  readonly message: string;
}

/** `clusters/prod.yaml:4:16 kubeProxyMode: ...`: a form that editors and terminals turn into a link. */
export function formatProblem({ file, position, message }: LocatedProblem): string {
  return onOneLine(position ? `${file}:${position.line}:${position.column} ${message}` : `${file}: ${message}`);
}

/** What a file or its name holds may be anything, and a terminal obeys control characters. */
function onOneLine(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
