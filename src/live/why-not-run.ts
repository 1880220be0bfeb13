import { reason } from "../config/reason";

/** Why kubectl did not run, or not to its end, and what to do. */
export function whyNotRun(error: unknown, timeoutMs: number): string {
  const code = reason(error);
  if (code === "ENOENT") return "there is no kubectl on the PATH; install it, or add its folder";
  if (code === "ETIMEDOUT") return `does not end within ${timeoutMs / 1000} s; does the context's API server answer?`;
  return code;
}
