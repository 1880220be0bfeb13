import type { Finished, RunOptions } from "../run";
import { patience, sleep } from "../until";
import { type ApiClient, type KubernetesObject, servedKind } from "./api-client";

export type { KubernetesObject };

export interface ApplyOptions {
  /** Server-side apply with strict field validation. Default: client-side, also strict. */
  readonly serverSide?: boolean;
  /** With server-side apply: takes over fields that others own, as GitOps controllers do. */
  readonly fieldManager?: string;
  readonly namespace?: string;
}

type Attempt = (argv: readonly string[], options?: RunOptions) => Promise<Finished>;

/** kubectl as the cluster's administrator. */
export class Kubectl {
  /**
   * @param kubectl Runs kubectl with these arguments.
   * @param api Answers what kubectl need not be run for.
   */
  constructor(
    private readonly kubectl: Attempt,
    private readonly api: Pick<ApiClient, "get" | "list" | "isReady">,
  ) {}

  /** Runs kubectl, which must succeed, and returns its output. Once more, or until the API server is ready. */
  async run(args: readonly string[], options?: RunOptions): Promise<string> {
    const end = performance.now() + lateSeconds * 1000 * patience;
    let finished = await this.attempt(args, options);
    for (let wasReady = false; finished.code !== 0 && !wasReady && performance.now() < end;) {
      await sleep(500);
      wasReady = await this.api.isReady();
      finished = await this.attempt(args, options);
    }
    if (finished.code !== 0)
      throw new Error(
        `kubectl ${args.join(" ")}: ${finished.stderr.trim() || finished.stdout.trim() || `exit code ${finished.code}`}`,
      );
    return finished.stdout;
  }

  /** A `--timeout` is for a machine that has nothing else to do. Lets kubectl itself give up first where it has one. */
  attempt(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
    const at = args.findIndex((arg) => /^--timeout=\d+s$/.test(arg));
    if (at < 0) return this.kubectl(args, options);
    const seconds = Number.parseInt(args[at]?.split("=")[1] ?? "", 10) * patience;
    return this.kubectl(args.with(at, `--timeout=${seconds}s`), { timeoutSeconds: seconds + 10, ...options });
  }

  /** An object as the API server returns it, or undefined if it does not exist. */
  async get<T = KubernetesObject>(kind: string, name: string, namespace?: string): Promise<T | undefined> {
    const served = servedKind(kind);
    if (served !== undefined) return (await this.api.get(served, name, namespace)) as T | undefined;
    const printed = await this.run(["get", kind, name, "-o", "json", "--ignore-not-found", ...inNamespace(namespace)]);
    return printed === "" ? undefined : (JSON.parse(printed) as T);
  }

  /** The objects of a kind in a namespace, or in all, chosen by their labels and fields, as the API server spells selectors. */
  async list<T = KubernetesObject>(
    kind: string,
    namespace?: string,
    labelSelector = "",
    fieldSelector = "",
  ): Promise<T[]> {
    const served = servedKind(kind);
    if (served !== undefined) return (await this.api.list(served, namespace, { labelSelector, fieldSelector })) as T[];
    const printed = await this.run([
      "get",
      kind,
      "-o",
      "json",
      ...(namespace === undefined ? ["--all-namespaces"] : inNamespace(namespace)),
      `--selector=${labelSelector}`,
      `--field-selector=${fieldSelector}`,
    ]);
    return (JSON.parse(printed) as { items: T[] }).items;
  }

  /** Applies objects, or the kustomization in a folder. Returns what kubectl prints. */
  apply(
    what: readonly KubernetesObject[] | string,
    { serverSide = false, fieldManager, namespace }: ApplyOptions = {},
  ): Promise<string> {
    const how = [
      "--validate=strict",
      ...(serverSide ? ["--server-side"] : []),
      ...(fieldManager === undefined ? [] : ["--force-conflicts", `--field-manager=${fieldManager}`]),
      ...inNamespace(namespace),
    ];
    if (typeof what === "string") return this.run(["apply", "-k", what, ...how]);
    return this.run(["apply", "-f", "-", ...how], {
      input: JSON.stringify({ apiVersion: "v1", kind: "List", items: what }),
    });
  }

  async delete(kind: string, name: string, namespace?: string): Promise<void> {
    await this.run(["delete", kind, name, "--ignore-not-found", ...inNamespace(namespace)]);
  }

  /** Waits until all pods of a Deployment or DaemonSet match its current template and are ready. */
  async rolledOut(kind: "daemonset" | "deployment", name: string, namespace: string, seconds = 180): Promise<void> {
    const finished = await this.attempt(["rollout", "status", kind, name, "-n", namespace, `--timeout=${seconds}s`]);
    if (finished.code === 0) return;
    const pods = await this.run(["get", "pods", "-n", namespace, "-o", "wide"]);
    const events = await this.run(["get", "events", "-n", namespace, "--sort-by=.lastTimestamp"]);
    throw new Error(
      [
        `${kind} ${name} did not roll out: ${finished.stderr.trim()}`,
        pods,
        events.split("\n").slice(-15).join("\n"),
      ].join("\n"),
    );
  }
}

/** How long the API server, etcd behind it, or the controller that gives a namespace its defaults may keep one waiting. */
const lateSeconds = 10;

function inNamespace(namespace: string | undefined): string[] {
  return namespace === undefined ? [] : ["-n", namespace];
}
