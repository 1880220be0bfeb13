import type { IncomingMessage } from "node:http";

export class HttpError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

interface Body {
  /** Only the beginning, if it is too long. */
  readonly body: Buffer;
  readonly isWhole: boolean;
}

/** Every piece costs the same: a body sent byte by byte would keep a core busy. Go's TLS sends at least this much. */
const leastPerPiece = 512;
const freePieces = 64;

/** Without a pause: libuv reads up to 2 MiB of each connection before others have their turn. */
const bytesAtOnce = 64 * 1024;

/**
 * @param onBytes Called with the size of each piece.
 * @param disconnect Closes the connection of a client that sends pieces that are too small.
 * @throws HttpError unless it is a POST of JSON as API servers send it.
 */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
  onBytes: (bytes: number) => void,
  disconnect: () => void,
): Promise<Body> {
  const { httpVersion, method, headers } = request;
  if (httpVersion !== "1.1") throw new HttpError(505, `HTTP/${httpVersion}; accepted: 1.1`);
  if (method !== "POST") throw new HttpError(405, `${method}; accepted: POST`);
  const type = headers["content-type"]?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json")
    throw new HttpError(415, `content-type ${JSON.stringify(type ?? "")}; accepted: application/json`);
  if (headers["content-length"] === undefined) throw new HttpError(411, "no content-length");
  const length = Number(headers["content-length"]);
  if (length === 0) throw new HttpError(400, "empty body; accepted: an AdmissionReview of admission.k8s.io/v1");

  const pieces: Buffer[] = [];
  const read = (piece: Buffer) => {
    pieces.push(piece);
    onBytes(piece.length);
    return length <= maxBytes;
  };
  await readPieces(request, read, disconnect);
  return { body: Buffer.concat(pieces), isWhole: length <= maxBytes };
}

/** Reads the rest of a body, so that a client that is still writing gets to read the response. */
export async function dropBody(request: IncomingMessage, disconnect: () => void): Promise<void> {
  if (!request.readableEnded) await readPieces(request, () => true, disconnect);
}

/** @param onPiece Returns whether it wants more. @throws Error if the client disconnects or sends too small pieces. */
function readPieces(
  request: IncomingMessage,
  onPiece: (piece: Buffer) => boolean,
  disconnect: () => void,
): Promise<void> {
  let [count, size] = [0, 0];
  return new Promise((resolve, reject) => {
    const finish = (error?: Error) => {
      request.off("data", read).off("end", finish).off("error", finish).off("close", gone).pause();
      if (error) reject(error);
      else resolve();
    };
    const gone = () => finish(new Error("the client disconnected"));
    // No async iterator: it would yield the first piece only after a thousand have been read.
    const read = (piece: Buffer) => {
      count++;
      size += piece.length;
      if (count > freePieces + size / leastPerPiece) {
        disconnect();
        finish(new HttpError(400, "body in too many pieces"));
      } else if (!onPiece(piece)) finish();
      else if (size > bytesAtOnce) {
        request.pause();
        setImmediate(() => request.resume());
      }
    };
    request.on("data", read).once("end", finish).once("error", finish).once("close", gone).resume();
  });
}
