import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server, type ServerOptions } from "node:https";
import { BadReview, formatReview, parseReview, type AdmissionRequest, type Verdict } from "./review";

export type Decide = (request: AdmissionRequest) => Verdict;

export interface WebhookServerOptions {
  /** What decides, by path: `/pods`. */
  readonly decide: { readonly [path: string]: Decide };
  readonly onAnswer: (answer: Answer) => void;
}

export interface Answer {
  readonly path: string;
  readonly status: number;
  readonly verdict?: Verdict;
  readonly request?: AdmissionRequest;
  readonly error?: Error;
  readonly seconds: number;
}

export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

/** An object of the API server is at most 3 MiB, a review holds two of them and some: the limit of controller-runtime. */
export const maxBodyBytes = 7 * 1024 * 1024;
/** Bodies in memory at a time, in all. */
const bodyBudgetBytes = 64 * 1024 * 1024;

const limits = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 1_000,
  // Longer than the 90 seconds after which the API server's client drops an idle connection: it closes, not we, and no request is lost.
  keepAliveTimeout: 100_000,
  maxHeaderSize: 16 * 1024,
} as const;
const handshakeTimeoutMs = 5_000;
/** An API server keeps at most some dozens. */
const maxConnections = 600;

/** The server for the API server's questions. TLS 1.3 only; no connection of it leads anywhere else. */
export class WebhookServer {
  private readonly server: Server;
  private bodyBytes = 0;

  constructor(private readonly options: WebhookServerOptions) {
    this.server = createServer(
      { ...limits, ...tls(), handshakeTimeout: handshakeTimeoutMs },
      (request, response) => void this.handle(request, response),
    );
    this.server.maxConnections = maxConnections;
  }

  /** New connections get this certificate; those that are open stay. */
  use({ certificate, key }: KeyPair): void {
    this.server.setSecureContext({ ...tls(), cert: certificate, key });
  }

  listen(port: number, host?: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.once("error", reject);
      this.server.listen(port, host, () => {
        this.server.off("error", reject);
        const address = this.server.address();
        resolve(typeof address === "object" && address !== null ? address.port : port);
      });
    });
  }

  /** Finishes what was asked and takes nothing more. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeIdleConnections();
    });
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const started = performance.now();
    const path = (request.url ?? "").split("?")[0] ?? "";
    const known = Object.hasOwn(this.options.decide, path);
    const report = (answer: Omit<Answer, "path" | "seconds">) =>
      this.options.onAnswer({ ...answer, path: known ? path : "other", seconds: (performance.now() - started) / 1000 });
    let review: AdmissionRequest | undefined;
    try {
      const decide = known ? this.options.decide[path] : undefined;
      if (!decide) throw new HttpError(404, `no such path; accepted: ${Object.keys(this.options.decide).join(", ")}`);
      review = parseReview(await this.readBody(request));
      const verdict = decide(review);
      send(response, 200, formatReview(review.uid, verdict));
      report({ status: 200, verdict, request: review });
    } catch (error) {
      const status = error instanceof HttpError ? error.status : error instanceof BadReview ? 400 : 500;
      if (!response.headersSent && !response.destroyed)
        send(response, status, JSON.stringify({ message: (error as Error).message }));
      // What is left of a body is read and dropped, for as long as a request may take: a client that still writes gets to read the answer.
      request.resume();
      report({ status, error: error as Error, ...(review ? { request: review } : {}) });
    }
  }

  private async readBody(request: IncomingMessage): Promise<string> {
    if (request.httpVersion !== "1.1") throw new HttpError(505, `HTTP/${request.httpVersion}; accepted: 1.1`);
    if (request.method !== "POST") throw new HttpError(405, `${request.method}; accepted: POST`);
    const type = request.headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
    if (type !== "application/json")
      throw new HttpError(415, `content-type ${JSON.stringify(type ?? "")}; accepted: application/json`);
    if (Number(request.headers["content-length"] ?? 0) > maxBodyBytes) throw tooLarge();
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        size += chunk.length;
        this.bodyBytes += chunk.length;
        if (size > maxBodyBytes) throw tooLarge();
        if (this.bodyBytes > bodyBudgetBytes) throw new HttpError(503, "too many requests at a time");
        chunks.push(chunk);
      }
    } finally {
      this.bodyBytes -= size;
    }
    if (size === 0) throw new HttpError(400, "empty body; accepted: an AdmissionReview of admission.k8s.io/v1");
    return Buffer.concat(chunks).toString("utf8");
  }
}

class HttpError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

function tooLarge(): HttpError {
  return new HttpError(413, `body of more than ${maxBodyBytes} bytes`);
}

function tls(): Pick<ServerOptions, "minVersion"> {
  return { minVersion: "TLSv1.3" };
}

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  response.end(text);
}
