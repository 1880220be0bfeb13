import { spawnSync } from "node:child_process";
import { reason } from "../config/reason";

export interface KubectlRun {
  readonly stdout: string;
  readonly failure?: string;
  /** Whether it did not run, or not to its end. */
  readonly isUnable?: boolean;
}

/** A large cluster's objects take seconds. */
const timeoutMs = 120_000;

/** Runs `kubectl`, from the PATH. @param context Of the kubeconfig; its current one if undefined. */
export function kubectl(args: readonly string[], context: string | undefined, input?: string): KubectlRun {
  const all = inContext(context, args);
  const { status, signal, stdout, stderr, error } = spawnSync("kubectl", all, {
    encoding: "utf8",
    maxBuffer: 1024 ** 3,
    timeout: timeoutMs,
    ...(input !== undefined && { input }),
  });
  if (status === 0) return { stdout };
  return {
    stdout: stdout ?? "",
    isUnable: error !== undefined,
    failure: `kubectl ${all.join(" ")}: ${error ? whyNotRun(error, timeoutMs) : withoutLog(stderr) || `ended by ${signal ?? `exit code ${status}`}`}`,
  };
}

/** What `kubectl` printed. @throws Error if it failed. */
export function printedBy(args: readonly string[], context: string | undefined): string {
  const { stdout, failure } = kubectl(args, context);
  if (failure !== undefined) throw new Error([failure, ...contextFault(context)].join("; "));
  return stdout;
}

export function inContext(context: string | undefined, args: readonly string[]): string[] {
  return [...(context === undefined ? [] : ["--context", context]), ...args];
}

/** Its own words: before these, client-go logs the same error several times (`E1124 10:00:00.000000 ...`). */
export function withoutLog(stderr: string): string {
  const lines = stderr.trim().split("\n");
  const own = lines.filter((line) => !/^[EIW]\d{4} /.test(line));
  // It tries several times, and may say the same each time.
  return [...new Set(own.length > 0 ? own : lines)].join(" ");
}

/** The kubeconfig's; undefined if it has none, as in a pod. */
export function currentContext(): string | undefined {
  return kubectl(["config", "current-context"], undefined).stdout.trim() || undefined;
}

/** What to do after a failure if kubectl says that it has no such context, or no current one; in a pod it needs none. */
export function contextFault(context: string | undefined): string[] {
  const asked = context === undefined ? ["current-context"] : ["get-contexts", context];
  const { failure, isUnable } = kubectl(["config", ...asked], undefined);
  if (failure === undefined || isUnable) return [];
  const which = context === undefined ? "current context" : `context ${context}`;
  return [
    `kubectl has no ${which}: give one that \`kubectl config get-contexts\` lists as --context, or set KUBECONFIG to the file that has it`,
  ];
}

/** Why kubectl did not run, or not to its end, and what to do. */
export function whyNotRun(error: unknown, patience: number): string {
  const code = reason(error);
  if (code === "ENOENT") return "there is no kubectl on the PATH; install it, or add its folder";
  if (code === "ETIMEDOUT") return `does not end within ${patience / 1000} s; does the context's API server answer?`;
  return code;
}
