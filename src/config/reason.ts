/** Why the file system refused, as its error code (`ENOENT`). */
export function reason(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
