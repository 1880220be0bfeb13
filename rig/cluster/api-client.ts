import { Agent } from "node:http";
import { readThrough } from "../../src/live/kubectl-proxy";
import { until } from "../until";

export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly generation?: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly [key: string]: unknown;
  };
  readonly [key: string]: unknown;
}

/** Where the API server has what tests ask for again and again. */
const served = {
  pods: "api/v1",
  nodes: "api/v1",
  services: "api/v1",
  jobs: "apis/batch/v1",
  deployments: "apis/apps/v1",
  daemonsets: "apis/apps/v1",
  endpointslices: "apis/discovery.k8s.io/v1",
  applications: "apis/argoproj.io/v1alpha1",
} as const satisfies Record<string, string>;

/** A kind that is asked for without a process for each question. */
export type Served = keyof typeof served;

/** The kind, singular or plural, if it is one of these. */
export function servedKind(kind: string): Served | undefined {
  const [plural] = [kind, `${kind}s`].filter((name): name is Served => Object.hasOwn(served, name));
  return plural;
}

/** As `run` gives kubectl. */
const timeoutMs = 60_000;

/** Reads objects from the API server through the socket of a `kubectl proxy`: a process each time costs 0.1 s of a core. */
export class ApiClient {
  private readonly agent = new Agent({ keepAlive: true });

  constructor(private readonly socketPath: string) {}

  get(kind: Served, name: string, namespace?: string): Promise<KubernetesObject | undefined> {
    return this.ask<KubernetesObject>(`${path(kind, namespace)}/${name}`);
  }

  async list(
    kind: Served,
    namespace: string | undefined,
    selectors: Readonly<Record<string, string>>,
  ): Promise<KubernetesObject[]> {
    const list = await this.ask<List>(`${path(kind, namespace)}?${new URLSearchParams(selectors)}`);
    if (list === undefined) throw new Error(`the API server has no ${kind}`);
    // The items of a list do not say what they are.
    const { apiVersion, items } = list;
    return items.map((item) => ({ ...item, apiVersion, kind: list.kind.replace(/List$/, "") }));
  }

  /** Whether the API server is ready, and has given each namespace the account that its pods need. */
  async isReady(): Promise<boolean> {
    const [ready, namespaces, accounts] = await Promise.all(
      ["/readyz", "/api/v1/namespaces", "/api/v1/serviceaccounts?fieldSelector=metadata.name%3Ddefault"].map((url) =>
        readThrough(this.socketPath, this.agent, url, timeoutMs),
      ),
    );
    if (!ready || !namespaces || !accounts) return false;
    if (!("text" in ready && "text" in namespaces && "text" in accounts)) return false;
    const withAccount = itemsOf(accounts.text).map(({ metadata }) => metadata.namespace);
    return itemsOf(namespaces.text)
      .filter(({ metadata }) => metadata["deletionTimestamp"] === undefined)
      .every(({ metadata }) => withAccount.includes(metadata.name));
  }

  /** Once more where the API server was late or busy. */
  private async ask<T>(url: string): Promise<T | undefined> {
    const answer = await until(`GET ${url} of the API server`, 10, async () => {
      const got = await readThrough(this.socketPath, this.agent, url, timeoutMs);
      const { status = 503 } = got as { readonly status?: number };
      if ("failure" in got && (status === 429 || status >= 500)) throw new Error(got.failure);
      return got;
    });
    if ("text" in answer) return JSON.parse(answer.text) as T;
    if (answer.status === 404) return undefined;
    throw new Error(`GET ${url} of the API server: ${answer.failure}`);
  }
}

function itemsOf(text: string): readonly KubernetesObject[] {
  return (JSON.parse(text) as List).items;
}

interface List {
  readonly apiVersion: string;
  readonly kind: string;
  readonly items: readonly KubernetesObject[];
}

function path(kind: Served, namespace: string | undefined): string {
  return [`/${served[kind]}`, ...(namespace === undefined ? [] : ["namespaces", namespace]), kind].join("/");
}
