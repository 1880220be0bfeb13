import { describe, expect, it } from "vitest";
import { cache } from "./cache";

describe("engine node-cache", () => {
  const node = cache({ engine: "node-cache", interception: "service-ip" });

  it("reads its base from where it is mounted, and writes where it may", () => {
    const pod = node.pod("DaemonSet", "node-local-dns");
    const items = [{ key: "Corefile", path: "Corefile.base" }];
    const configMap = expect.objectContaining({ items }) as unknown;
    expect(pod.volumes).toContainEqual(expect.objectContaining({ configMap }));
    expect(pod.volumes).toContainEqual({ name: "run", emptyDir: {} });
    expect(node.container("DaemonSet", "node-local-dns").volumeMounts).toContainEqual({
      name: "run",
      mountPath: "/run/node-cache",
    });
  });
});
