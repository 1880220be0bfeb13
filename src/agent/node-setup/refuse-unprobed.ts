import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { configHash } from "../../model/corefile/hash";
import { corefileVariables as variables, healthPortVariable } from "../../model/node-programs";

/**
 * Caches share a health port if they were rendered with the same Corefile. If somebody has replaced the new one's by
 * hand, the old one would answer its readiness probe, whatever it serves, and the rollout would go on to every node.
 *
 * @param env As the manifest gives it to node-setup; without a Corefile in it, there is nothing to refuse.
 * @throws Error if that is so.
 */
export async function refuseUnprobed(env: NodeJS.ProcessEnv): Promise<void> {
  const { [variables.path]: path, [variables.hash]: rendered, [healthPortVariable]: port } = env;
  if (path === undefined) return;
  const got = configHash(readFileSync(path, "utf8"));
  if (got === rendered || !(await listens(Number(port)))) return;
  throw new Error(
    `${path}: hash ${got}, accepted: ${rendered}, with which the DaemonSet was rendered; another cache runs on this ` +
      `node, and would answer the readiness probe of this one (port ${port}); apply what cluster-dns synth writes, or ` +
      `give each ${healthPortVariable} and both probes another port`,
  );
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const is = (listening: boolean) => () => {
      socket.destroy();
      resolve(listening);
    };
    socket.once("connect", is(true)).once("error", is(false));
  });
}
