import { expect, it } from "vitest";
import { cache } from "./cache";

it("engine node-cache reads its base from where it is mounted, and writes where it may", () => {
  const { pod, container } = cache({ engine: "node-cache", interception: "service-ip" });
  const configMap = expect.objectContaining({ items: [{ key: "Corefile", path: "Corefile.base" }] }) as unknown;
  const volumes = [expect.objectContaining({ configMap }), { name: "run", emptyDir: {} }];
  expect(pod("DaemonSet", "node-local-dns").volumes).toEqual(expect.arrayContaining(volumes));
  const mount = { name: "run", mountPath: "/run/node-cache" };
  expect(container("DaemonSet", "node-local-dns").volumeMounts).toContainEqual(mount);
});
