/** Why the file system refused, in its own word (`ENOENT`). */
export function reason(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
