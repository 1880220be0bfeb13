import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import { errorMessage } from "../errors";
import { BadReview, formatReview, parseReview, type AdmissionRequest, type Verdict } from "./review";

export type Decide = (request: AdmissionRequest) => Verdict;

interface WebhookServerOptions {
  /** By path: `/pods`. */
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

/** An object of the API server has at most 3 MiB, and a review holds two of them and a bit: the limit of controller-runtime. */
const maxBodyBytes = 7 * 1024 * 1024;
/** Of all bodies in memory at once. */
const bodyBudgetBytes = 64 * 1024 * 1024;

const limits = {
  minVersion: "TLSv1.3",
  handshakeTimeout: 5_000,
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 1_000,
  // Longer than the 90 seconds after which the API server's client drops an idle connection: if the client closes it, no request is lost.
  keepAliveTimeout: 100_000,
  maxHeaderSize: 16 * 1024,
} as const;
/** An API server keeps a few dozen at most. */
const maxConnections = 600;

/** Answers the API server's reviews. TLS 1.3 only. */
export class WebhookServer {
  private readonly server: Server;
  private bodyBytes = 0;

  constructor(private readonly options: WebhookServerOptions) {
    this.server = createServer(limits, (request, response) => void this.handle(request, response));
    this.server.maxConnections = maxConnections;
  }

  /** New connections get this certificate; open ones stay. */
  use({ certificate, key }: KeyPair): void {
    this.server.setSecureContext({ minVersion: limits.minVersion, cert: certificate, key });
  }

  async listen(port: number): Promise<void> {
    this.server.listen(port);
    await once(this.server, "listening");
  }

  /** Finishes requests under way and takes no more. */
  async close(): Promise<void> {
    this.server.close();
    this.server.closeIdleConnections();
    await once(this.server, "close");
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { decide, onAnswer } = this.options;
    const startedAt = performance.now();
    const path = (request.url ?? "").split("?")[0] ?? "";
    const known = Object.hasOwn(decide, path) ? decide[path] : undefined;
    const report = (answer: Omit<Answer, "path" | "seconds">) =>
      onAnswer({ ...answer, path: known ? path : "other", seconds: (performance.now() - startedAt) / 1000 });
    let review: AdmissionRequest | undefined;
    try {
      if (!known) throw new HttpError(404, `no such path; accepted: ${Object.keys(decide).join(", ")}`);
      review = parseReview(await this.readBody(request));
      const verdict = known(review);
      send(response, 200, formatReview(review.uid, verdict));
      report({ status: 200, verdict, request: review });
    } catch (error) {
      const status = error instanceof HttpError ? error.status : error instanceof BadReview ? 400 : 500;
      if (!response.headersSent && !response.destroyed)
        send(response, status, JSON.stringify({ message: errorMessage(error) }));
      // Reads and drops the rest of the body, for as long as a request may take, so that a client that still writes can read the answer.
      request.resume();
      report({ status, error: error as Error, request: review });
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
        if (this.bodyBytes > bodyBudgetBytes) throw new HttpError(503, "too many requests at once");
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

function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  response.end(text);
}
