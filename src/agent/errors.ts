export { errorMessage } from "../model/syntax/error-message";

/** The code of an error from Node or the kernel (`ENOENT`, `ECONNREFUSED`); undefined if it has none. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}
