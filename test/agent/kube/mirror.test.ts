import { afterEach, beforeEach, expect, it } from "vitest";
import { KubeClient } from "../../../src/agent/kube/client";
import { Mirror } from "../../../src/agent/kube/mirror";
import { eventually } from "../../eventually";
import { FakeApiServer } from "./fake-api-server";

let api: FakeApiServer;
let client: KubeClient;
let stop: AbortController;
let errors: string[];
beforeEach(async () => {
  api = await FakeApiServer.start();
  [client, stop, errors] = [new KubeClient(api.connection), new AbortController(), []];
});
afterEach(async () => {
  stop.abort();
  client.close();
  await api.stop();
});

function mirror(now?: () => number): Mirror<unknown> {
  const keep = (object: { readonly [key: string]: unknown }) => object["spec"];
  const onError = ({ message }: Error) => errors.push(message);
  const of = { path: "/api/v1/nodes", keep, signal: stop.signal, onError, backoffMs: 10 };
  const created = new Mirror(client, of, now);
  void created.run();
  return created;
}

function node(name: string, spec: object = {}): void {
  api.set(`/api/v1/nodes/${name}`, { metadata: { name }, spec });
}

const until = (probe: () => boolean) => eventually(String(probe), 10, probe, true, 10);

it("follows additions, changes and deletions", async () => {
  node("a");
  const nodes = mirror();
  expect(nodes.current()).toBeUndefined();
  await until(() => nodes.current()?.size === 1 && api.calls.includes("WATCH /api/v1/nodes"));
  node("b", { unschedulable: true });
  await until(() => nodes.current()?.size === 2);
  node("a", { taints: [] });
  api.delete("/api/v1/nodes/b");
  await until(() => nodes.current()?.size === 1);
  expect([...(nodes.current() ?? [])]).toEqual([["a", { taints: [] }]]);
  expect(errors).toEqual([]);
});

it("lists again if the version that it watches from is gone", async () => {
  node("a");
  const nodes = mirror();
  await until(() => api.calls.includes("WATCH /api/v1/nodes"));
  api.delete("/api/v1/nodes/a");
  node("c");
  api.endWatches(410);
  await until(() => api.calls.filter((call) => call.startsWith("WATCH")).length === 2);
  expect([...(nodes.current()?.keys() ?? [])]).toEqual(["c"]);
  expect(errors).toEqual([]);
});

it("knows nothing before its first list, and reports why that fails", async () => {
  node("a");
  api.failWith = 403;
  const nodes = mirror();
  await until(() => errors.length > 1);
  expect(nodes.current()).toBeUndefined();
  expect(errors[0]).toBe("GET /api/v1/nodes: 403 as the test wants it");
  api.failWith = undefined;
  await until(() => nodes.current()?.size === 1);
});

it("no longer trusts its copy if the API server has been silent for too long", async () => {
  let now = 0;
  node("a");
  const nodes = mirror(() => now);
  await until(() => nodes.current()?.size === 1);
  now = 180_000;
  expect(nodes.current()?.size).toBe(1);
  now = 180_001;
  expect(nodes.current()).toBeUndefined();
});
