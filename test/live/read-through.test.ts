import { Agent, createServer } from "node:http";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readThrough } from "../../src/live/kubectl-proxy";
import { temporaryFolder } from "../temporary-folder";

/** What is said of a page that is answered with this. */
async function failureOf(status: number, text: string): Promise<unknown> {
  const socket = join(temporaryFolder("read-through", onTestFinished), "api");
  const server = createServer((_, response) => response.writeHead(status).end(text));
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  try {
    return await readThrough(socket, new Agent(), "/version", 5000);
  } finally {
    server.close();
  }
}

it.each([
  [500, "dial tcp 127.0.0.1:8080: connect: connection refused"],
  [500, "tls: failed to verify certificate: x509: certificate signed by unknown authority"],
  [500, "getting credentials: exec: executable aws not found"],
  [500, "EOF"],
])("an API server that kubectl proxy does not reach has answered with no status: %s %s", async (status, failure) => {
  expect(await failureOf(status, `${failure}\n`)).toEqual({ status, failure });
});

it("whoever else answers with no message of the API server is quoted with its status", async () => {
  const failure = "something is wrong (HTTP 500)";
  expect(await failureOf(500, "something is wrong\nmore\n")).toEqual({ status: 500, failure });
});

it.each([
  [{ name: "coredns", kind: "pods" }, { missing: "coredns" }],
  // Of a resource that the API server does not have.
  [{}, {}],
])("a Status names the object that is not there: %j", async (details, said) => {
  const status = { kind: "Status", message: "not found", reason: "NotFound", details, code: 404 };
  expect(await failureOf(404, JSON.stringify(status))).toEqual({ status: 404, failure: "not found", ...said });
});
