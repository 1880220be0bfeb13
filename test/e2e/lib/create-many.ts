import { readFileSync } from "node:fs";
import { Agent, request } from "node:https";
import type { Cluster } from "../../../rig/cluster/cluster";
import type { KubernetesObject } from "../../../rig/cluster/kubectl";
import { Pki } from "../../../rig/cluster/pki";

/** Creates objects at `path` of the API, several at a time: kubectl manages 50 a second, and uses much CPU for each. */
export async function createMany(cluster: Cluster, path: string, objects: readonly KubernetesObject[]): Promise<void> {
  const port = await cluster.controlPlane.openToTheMachine();
  const pki = new Pki(cluster.names.file("pki"));
  const ca = readFileSync(pki.file("ca.crt"));
  const [cert, key] = [readFileSync(pki.file("admin.crt")), readFileSync(pki.file("admin.key"))];
  const agent = new Agent({ keepAlive: true, ca, cert, key });
  const left = [...objects];
  const worker = async () => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) await create(next);
  };
  try {
    await Promise.all(Array.from({ length: 16 }, worker));
  } finally {
    agent.destroy();
  }

  function create(object: KubernetesObject): Promise<void> {
    const headers = { "content-type": "application/json" };
    return new Promise((resolve, reject) => {
      const sent = request({ host: "127.0.0.1", port, method: "POST", path, agent, headers }, (response) => {
        const { statusCode } = response.resume();
        response.on("error", reject);
        response.on("end", () =>
          statusCode === 201 ? resolve() : reject(new Error(`${object.metadata.name}: status ${statusCode}`)),
        );
      });
      sent.on("error", reject);
      sent.end(JSON.stringify(object));
    });
  }
}
