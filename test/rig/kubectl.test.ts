import { expect, it } from "vitest";
import { Kubectl } from "../../rig/cluster/kubectl";

it.each<[what: string, codes: number[], ready: boolean[], runs: number]>([
  ["a command that succeeds", [0], [], 1],
  ["a fault that has passed", [1, 0], [true], 2],
  ["a command that is wrong", [1, 1], [true], 2],
  ["an API server that is late", [1, 1, 1, 0], [false, false, true], 4],
])("%s runs as often as the API server's state says, whatever kubectl prints", async (_, codes, ready, runs) => {
  let [attempts, asked] = [0, 0];
  const kubectl = new Kubectl(
    () => Promise.resolve({ code: codes[attempts++] ?? 0, stdout: "done", stderr: "connection refused" }),
    {
      get: () => Promise.resolve(undefined),
      list: () => Promise.resolve([]),
      isReady: () => Promise.resolve(ready[asked++] ?? false),
    },
  );
  const printed = await kubectl.run(["get", "pods"]).catch(() => undefined);
  expect([printed, attempts]).toEqual([codes.at(-1) === 0 ? "done" : undefined, runs]);
});
