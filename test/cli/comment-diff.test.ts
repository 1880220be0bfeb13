import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse } from "yaml";
import { readText, root } from "../repository";
import { Scratch } from "./scratch";

interface Action {
  readonly runs: { readonly steps: readonly { readonly run: string; readonly env: object }[] };
}

const action = parse(readText("action.yml")) as Action;
const good = "clusterDNS: [10.96.0.10]\nkubeProxyMode: iptables\n";
const comments: { id: number; body: string }[] = [];
const scratch = new Scratch();
let api: Server;

/** A pull request to `main`, and of GitHub's API its comments. */
beforeAll(async () => {
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example", ...args], { cwd: scratch.folder });
  scratch.write(".gitignore", "node_modules\n");
  // npm would take a second each time.
  scratch.write("node_modules/npx", `#!/bin/sh\nshift 2\nexec ${process.execPath} ${scratch.cli} "$@"\n`);
  chmodSync(join(scratch.folder, "node_modules/npx"), 0o755);
  scratch.write("clusters/prod.yaml", good);
  scratch.runBundle("synth");
  git("init", "--quiet", "--initial-branch", "main");
  git("add", ".");
  git("commit", "--quiet", "--message", "a");
  git("remote", "add", "origin", scratch.folder);
  scratch.write("clusters/prod.yaml", `${good}authoritativeDNS: {ttl: 7}\n`);
  api = createServer((request, response) => {
    void answer(request).then((status) => response.writeHead(status).end(JSON.stringify(comments)));
  });
  await once(api.listen(0, "127.0.0.1"), "listening");
});
afterAll(() => {
  api.close();
});

async function answer(request: IncomingMessage): Promise<number> {
  const { body = "" } = JSON.parse((await text(request)) || "{}") as { body?: string };
  const path = `${request.method} ${request.url}`;
  const id = Number(/^PATCH \/repos\/a\/b\/issues\/comments\/(\d+)$/.exec(path)?.[1]);
  if (path === "POST /repos/a/b/issues/5/comments") comments.push({ id: comments.length + 1, body });
  else if (id) comments.splice(id - 1, 1, { id, body });
  else if (path !== "GET /repos/a/b/issues/5/comments?per_page=100&page=1") return 404;
  return 200;
}

async function runStep(): Promise<void> {
  const [step] = action.runs.steps;
  const inputs = { CLUSTERS: "clusters", OUT: "dist", GITHUB_TOKEN: "secret", BASE: "main", PULL_REQUEST: "5" };
  expect(Object.keys(step?.env ?? {}).sort()).toEqual(Object.keys(inputs).sort());
  await promisify(execFile)("bash", ["-c", step?.run ?? ""], {
    cwd: scratch.folder,
    env: {
      ...process.env,
      ...inputs,
      PATH: `${join(scratch.folder, "node_modules")}:${process.env["PATH"]}`,
      GITHUB_ACTION_PATH: root,
      GITHUB_REPOSITORY: "a/b",
      GITHUB_API_URL: `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
    },
  });
}

it.skipIf(process.platform === "win32")("a pull request gets one comment, which each push replaces", async () => {
  comments.push({ id: 1, body: "of somebody else" });
  await runStep();
  const body = expect.stringMatching(/^<!-- cdk8s-cluster-dns diff -->\n### prod: [^]*\n\+ +ttl 7\n/) as string;
  expect(comments).toEqual([
    { id: 1, body: "of somebody else" },
    { id: 2, body },
  ]);
  scratch.write("clusters/prod.yaml", good);
  await runStep();
  expect(comments.slice(1)).toEqual([{ id: 2, body: "<!-- cdk8s-cluster-dns diff -->\nnothing changes\n" }]);
});
