import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import { createServer, type Server } from "node:net";
import { finished } from "node:stream/promises";
import type { TLSSocket } from "node:tls";
import { errorMessage } from "../errors";
import { dropBody, HttpError, readBody } from "./body";
import { Connections, type Connection, type CloseReason } from "./connections";
import type { Decisions } from "./decisions";
import { limitsOf, shortBytes } from "./limits";
import type { LongReviews } from "./long-reviews";
import { answerReview, BadReview, refuseUnread, type Answered, type Decide } from "./review";
import { Turns } from "./turns";

interface WebhookServerOptions {
  /** By path: `/pods`. */
  readonly decide: Decisions;
  readonly longReviews: LongReviews;
  readonly onAnswer: (answer: Answer) => void;
  readonly onClose: (why: CloseReason) => void;
}

export interface Answer extends Partial<Omit<Answered, "text">> {
  readonly path: string;
  readonly status: number;
  readonly error?: Error;
  readonly seconds: number;
}

export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

const tlsOptions = {
  minVersion: "TLSv1.3",
  // An API server's is about 300 bytes.
  maxHeaderSize: 4 * 1024,
  // `Connections` closes slow and idle ones.
  keepAliveTimeout: 0,
  // Node would answer requests without one itself, any number on a connection.
  requireHostHeader: false,
} as const;

/** Of the reason for an HTTP error, which may quote the review. */
const longestMessage = 1000;

/** Answers the API server's reviews, over TLS 1.3 only. */
export class WebhookServer {
  readonly connections: Connections;
  private readonly listener: Server;
  private readonly tls: TlsServer;
  private readonly turns = new Turns();
  private closing = false;

  constructor(private readonly options: WebhookServerOptions) {
    const handle = (request: IncomingMessage, response: ServerResponse) => void this.handle(request, response);
    // So would Node what expects something.
    this.tls = createTlsServer(tlsOptions, handle).on("checkContinue", handle).on("checkExpectation", handle);
    this.connections = new Connections({
      turns: this.turns,
      start: (socket) => this.tls.emit("connection", socket),
      onClose: options.onClose,
    });
    this.tls.on("secureConnection", (socket: TLSSocket) => {
      const connection = this.connections.of(socket);
      if (!connection) return void socket.destroy();
      // Ended, and not closed, after its last answer: the kernel would keep for minutes what a client does not read.
      socket.destroySoon = () => socket.end();
      connection.secure = socket;
      this.connections.change(connection, "new");
    });
    this.listener = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => this.connections.add(socket));
  }

  /** New connections get this certificate; open ones keep theirs. */
  use({ certificate, key }: KeyPair): void {
    this.tls.setSecureContext({ minVersion: tlsOptions.minVersion, cert: certificate, key });
  }

  async listen(port: number): Promise<void> {
    this.listener.listen(port);
    await once(this.listener, "listening");
  }

  /** Finishes requests under way and accepts no more. */
  async close(): Promise<void> {
    this.closing = true;
    this.listener.close();
    await this.connections.drain();
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const connection = this.connections.of(request.socket);
    // It is closed, and Node still parses what had come before.
    if (!connection) return;
    // No API server sends a request on a connection before it has the response to the previous one.
    if (connection.state === "busy") return this.connections.close(connection, "refused");
    const startedAt = performance.now();
    const path = (request.url ?? "").split("?")[0] ?? "";
    const { decide, onAnswer } = this.options;
    const known = Object.hasOwn(decide, path) ? decide[path] : undefined;
    const report = (answer: Omit<Answer, "path" | "seconds">) =>
      onAnswer({ ...answer, path: known ? path : "other", seconds: (performance.now() - startedAt) / 1000 });
    const disconnect = () => this.connections.close(connection, "refused");
    // Node might still be parsing what came on a closed connection. To write there would free the parser.
    const respond = async (status: number, text: string, keepsAlive: boolean) => {
      if (!connection.socket.destroyed) await send(request, response, { status, text, keepsAlive, disconnect });
    };
    this.connections.change(connection, "busy");
    if (/100-continue/i.test(request.headers.expect ?? "")) response.writeContinue();
    try {
      if (!known) throw new HttpError(404, `unknown path; accepted: ${Object.keys(decide).join(", ")}`);
      const { text, ...about } = await this.answer(request, connection, path, known, disconnect);
      this.connections.release(connection);
      const keepsAlive = !this.closing && request.complete && this.connections.mayStay(connection);
      // It may stay: the client knows how to ask. It may ask again before we hear that it has the answer.
      if (keepsAlive) this.connections.change(connection, "idle");
      await respond(200, text, keepsAlive);
      report({ status: 200, ...about });
    } catch (error) {
      this.connections.release(connection);
      const status = error instanceof HttpError ? error.status : error instanceof BadReview ? 400 : 500;
      report({ status, error: error as Error });
      const text = JSON.stringify({ message: errorMessage(error).slice(0, longestMessage) });
      await respond(status, text, false).catch(disconnect);
    }
  }

  private async answer(
    request: IncomingMessage,
    connection: Connection,
    path: string,
    decide: Decide,
    disconnect: () => void,
  ): Promise<Answered> {
    const { maxBytes, guards } = limitsOf(path);
    const hold = (bytes: number) => this.connections.hold(connection, bytes);
    const { body, isWhole } = await readBody(request, maxBytes, hold, disconnect);
    if (!isWhole) return refuseUnread(body, new HttpError(413, `the review has more than ${maxBytes} bytes`), guards);
    const { connections, turns } = this;
    const take = () => connections.take(connection);
    connections.keep(connection, body);
    return body.length > shortBytes
      ? this.options.longReviews.answer(connection.address, path, take)
      : turns.run(connection.address, () => answerReview(decide, take(), guards));
  }
}

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly keepsAlive: boolean;
  readonly disconnect: () => void;
}

/** Returns once the kernel has all of it. @throws Error if the client disconnects or sends too small pieces. */
async function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, text, keepsAlive, disconnect }: Reply,
): Promise<void> {
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    ...(keepsAlive ? {} : { connection: "close" }),
  });
  response.write(text);
  // Ending a response without keep-alive closes the connection, and the client may still be writing.
  await dropBody(request, disconnect);
  response.end();
  await finished(response);
}
