import { spawn } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

/** Serves the Git repositories in a folder over HTTP, on a port of 127.0.0.1: `git-server PORT FOLDER`. */
const [port = "", folder = ""] = process.argv.slice(2);
createServer(serve).listen(Number(port), "127.0.0.1");

/** Git's own server is a CGI program. */
function serve(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://127.0.0.1");
  const backend = spawn("git", ["http-backend"], {
    env: {
      ...process.env,
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: "",
      REQUEST_METHOD: request.method,
      PATH_INFO: pathname,
      QUERY_STRING: searchParams.toString(),
      CONTENT_TYPE: request.headers["content-type"],
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"],
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
  request.pipe(backend.stdin);
  const chunks: Buffer[] = [];
  backend.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  backend.on("close", () => {
    const answer = Buffer.concat(chunks);
    const end = answer.indexOf("\r\n\r\n");
    const headers = answer.toString("latin1", 0, end).split("\r\n").map(nameAndValue);
    const status = headers.find(([name]) => name === "Status")?.[1] ?? "200";
    response.writeHead(Number.parseInt(status), headers.flat());
    response.end(answer.subarray(end + 4));
  });
}

function nameAndValue(header: string): [name: string, value: string] {
  const colon = header.indexOf(":");
  return [header.slice(0, colon), header.slice(colon + 1).trim()];
}
