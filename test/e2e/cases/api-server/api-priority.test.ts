import { createServer, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { User } from "../../../../rig/admission/local-api-server";
import { pathOf } from "../../../../rig/admission/path-of";
import { sleep, until } from "../../../../rig/until";
import { renderedObjects } from "../../../../rig/cluster/deploy";
import { useApiServer, applyTwice } from "../../lib/api-server";
import { facts } from "../../lib/usual";

const account = (name: string): User => ({
  username: `system:serviceaccount:kube-system:${name}`,
  groups: ["system:serviceaccounts", "system:serviceaccounts:kube-system", "system:authenticated"],
});
const seats = 60;
/** How long a request holds its seat: that of a webhook that never answers. */
const heldSeconds = 30;

const api = useApiServer([
  `--max-requests-inflight=${(seats * 2) / 3}`,
  `--max-mutating-requests-inflight=${seats / 3}`,
]);
let silent: Server;
const connections = new Set<Socket>();

beforeAll(async () => {
  silent = createServer((connection) => {
    connections.add(connection);
    connection.on("error", () => connection.destroy());
    connection.on("close", () => connections.delete(connection));
  });
  await new Promise<void>((resolved) => silent.listen(0, "127.0.0.1", resolved));
  const { port } = silent.address() as { port: number };
  const webhooks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
  await api().must("POST", webhooks, {
    metadata: { name: "silent" },
    webhooks: [
      {
        name: "silent.example.com",
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        failurePolicy: "Ignore",
        timeoutSeconds: heldSeconds,
        clientConfig: { url: `https://127.0.0.1:${port}` },
        rules: [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
      },
    ],
  });
});
afterAll(() => {
  for (const connection of connections) connection.destroy();
  silent?.close();
});

/** While another program of kube-system, such as an agent of each node, asks for more seats than there are. */
const whileFlooded = async <Result>(measure: () => Promise<Result>): Promise<Result> => {
  let isOver = false;
  const configMaps = "/api/v1/namespaces/kube-system/configmaps";
  const agents = Array.from({ length: 2 * seats }, async () => {
    // The API server answers 429 to those that wait too long.
    while (!isOver)
      await api()
        .call("POST", configMaps, { metadata: { generateName: "a-" } }, account("agent"))
        .catch(() => {});
  });
  // Those that have a seat wait for the webhook. Every ten seconds, their priority level borrows more (KEP-1040).
  await until("seats to be held", 60, async () => connections.size > seats / 2);
  await sleep(11_000);
  try {
    return await measure();
  } finally {
    isOver = true;
    for (const connection of connections) connection.destroy();
    await Promise.all(agents);
  }
};
const listed = async (user: User) => {
  const begun = performance.now();
  const statuses = new Set<number>();
  for (let time = 0; time < 5; time++)
    statuses.add((await api().call("GET", "/api/v1/services", undefined, user)).status);
  return { statuses: [...statuses], seconds: (performance.now() - begun) / 1000 };
};

it("CoreDNS's own share of an API server without a free seat, on a real one: without it, CoreDNS waits for a seat behind the others; with it, it does not", async () => {
  const props = { ...facts, kubernetesVersion: "1.37", resilience: true } as const;
  const own = renderedObjects(props).filter(({ apiVersion }) => apiVersion.startsWith("flowcontrol"));
  expect(own.map(({ kind }) => kind)).toEqual(["PriorityLevelConfiguration", "FlowSchema"]);

  const without = await whileFlooded(() => listed(account("coredns")));

  for (const object of own) await api().apply(pathOf(object), object);
  await until("the flow", 30, async () => {
    const { body } = await api().call("GET", "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/cluster-dns");
    const { conditions = [] } = (body as { status?: { conditions?: { type: string; status: string }[] } }).status ?? {};
    return conditions.some(({ type, status }) => type === "Dangling" && status === "False");
  });
  await applyTwice(api(), own);
  const [withIt, other] = await whileFlooded(() => Promise.all([listed(account("coredns")), listed(account("agent"))]));
  for (const [who, { statuses, seconds }] of Object.entries({ without, withIt, other }))
    console.log(`${who}: five lists in ${seconds.toFixed(1)} s, ${statuses.join()}`);
  expect(withIt.statuses).toEqual([200]);
  // They wait until seats become free, or in vain.
  expect(without.seconds).toBeGreaterThan(withIt.seconds);
  expect(other.seconds).toBeGreaterThan(withIt.seconds);
});
