import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { Agent, request as httpsRequest, type RequestOptions } from "node:https";
import { join } from "node:path";
import { readStatus } from "../../model/kubernetes/status";

/** How to reach an API server, and as whom. */
export interface KubeConnection {
  readonly host: string;
  readonly port: number;
  /** Certificate authorities, PEM. */
  readonly ca: string;
  /** Read for each request: the kubelet replaces the token while we run. */
  readonly token: () => string;
}

export interface KubeObject {
  readonly metadata: { readonly name: string; readonly resourceVersion?: string; readonly [key: string]: unknown };
  readonly [key: string]: unknown;
}

/** The API server answered with a status other than 2xx. */
export class KubeError extends Error {
  constructor(
    readonly status: number,
    readonly method: string,
    readonly path: string,
    message: string,
  ) {
    super(`${method} ${path}: ${status} ${message}`);
    this.name = "KubeError";
  }
}

export function hasStatus(error: unknown, ...statuses: readonly number[]): boolean {
  return error instanceof KubeError && statuses.includes(error.status);
}

const timeoutMs = 10_000;
/** Far more than we request: a list of 5,000 nodes is about 40 MB in total, 4 MB per page. */
const maxAnswerBytes = 64 * 1024 * 1024;

export class KubeClient {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 4 });
  private answeredAt: Date | undefined;

  constructor(private readonly connection: KubeConnection) {}

  get<T = KubeObject>(path: string): Promise<T> {
    return this.json<T>("GET", path);
  }

  /** If someone else has changed the object since, its resourceVersion causes a KubeError with status 409. */
  put<T = KubeObject>(path: string, object: object): Promise<T> {
    return this.json<T>("PUT", path, object, "application/json");
  }

  /** RFC 6902. */
  jsonPatch<T = KubeObject>(path: string, operations: readonly object[]): Promise<T> {
    return this.json<T>("PATCH", path, operations, "application/json-patch+json");
  }

  /** Yields the events of a watch until the server ends it, `signal` aborts it, or nothing arrives for `idleMs`. */
  async *watch<T>(
    path: string,
    { signal, idleMs }: { readonly signal: AbortSignal; readonly idleMs: number },
  ): AsyncGenerator<T> {
    const response = await this.send("GET", path, { signal, timeout: idleMs });
    if (response.statusCode !== 200) throw await this.failure("GET", path, response);
    let rest = "";
    response.setEncoding("utf8");
    for await (const chunk of response as AsyncIterable<string>) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > maxAnswerBytes) throw new Error(`GET ${path}: event of more than ${maxAnswerBytes} bytes`);
      for (const line of lines) if (line !== "") yield JSON.parse(line) as T;
    }
  }

  /** The API server's clock at its last response, in whole seconds. */
  get date(): Date | undefined {
    return this.answeredAt;
  }

  close(): void {
    this.agent.destroy();
  }

  private async json<T>(method: string, path: string, body?: object, contentType?: string): Promise<T> {
    const options = {
      signal: AbortSignal.timeout(timeoutMs),
      headers: contentType === undefined ? {} : { "content-type": contentType },
    };
    const response = await this.send(method, path, options, body && JSON.stringify(body));
    if ((response.statusCode ?? 0) >= 300) throw await this.failure(method, path, response);
    return JSON.parse(await readAll(response)) as T;
  }

  private send(method: string, path: string, options: RequestOptions, body?: string): Promise<IncomingMessage> {
    const { host, port, ca, token } = this.connection;
    const headers = { authorization: `Bearer ${token()}`, accept: "application/json", ...options.headers };
    return new Promise((resolve, reject) => {
      const request = httpsRequest({ ...options, host, port, ca, method, path, agent: this.agent, headers });
      request.on("response", (response) => {
        const date = Date.parse(response.headers.date ?? "");
        if (!Number.isNaN(date)) this.answeredAt = new Date(date);
        resolve(response);
      });
      request.on("timeout", () => request.destroy(new Error(`${method} ${path}: no data for ${options.timeout} ms`)));
      request.on("error", reject);
      request.end(body);
    });
  }

  private async failure(method: string, path: string, response: IncomingMessage): Promise<KubeError> {
    const text = await readAll(response).catch(() => "");
    return new KubeError(
      response.statusCode ?? 0,
      method,
      path.split("?")[0] ?? path,
      readStatus(text).message ?? text.slice(0, 200),
    );
  }
}

async function readAll(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxAnswerBytes) throw new Error(`answer of more than ${maxAnswerBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

const serviceAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

/** By address, so that finding it needs no DNS. @throws Error outside a pod, or in a pod without a token. */
export function inClusterConnection(): KubeConnection {
  const folder = process.env["SERVICE_ACCOUNT_FOLDER"] ?? serviceAccountFolder;
  const host = process.env["KUBERNETES_SERVICE_HOST"];
  const port = Number(process.env["KUBERNETES_SERVICE_PORT"]);
  if (!host || !port) {
    throw new Error(
      "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set: run this in a pod; the kubelet sets them there",
    );
  }
  return {
    host,
    port,
    ca: readFileSync(join(folder, "ca.crt"), "utf8"),
    token: () => readFileSync(join(folder, "token"), "utf8").trim(),
  };
}
