import { expect, it } from "vitest";
import { renderCluster } from "../../src/charts/render-cluster";
import { clusterOf } from "../../src/model/cluster/cluster";
import { isWorkload } from "../../src/model/kubernetes/object";
import { cached } from "../cached";

const ca = "-----BEGIN CERTIFICATE-----\nMAMCAQU=\n-----END CERTIFICATE-----\n";

/** What pods with a Corefile mount, by workload, and what of it the Corefile reads. */
function mounted(tlsCA: string) {
  const upstreams = { upstreamNameservers: ["10.1.1.1"], upstreamTLSServerName: "dns.example" };
  const zones = { "a.example": { forward: { servers: ["10.1.1.2"], tlsServerName: "a.example", tlsCA: ca + ca } } };
  const cluster = clusterOf({ ...cached, ...upstreams, upstreamOptions: { tlsCA }, zones });
  const objects = renderCluster(cluster).components.flatMap((each) => each.objects);
  return ["coredns", "node-local-dns"].map((name) => {
    const map = objects.find(({ kind, metadata }) => kind === "ConfigMap" && metadata.name.startsWith(`${name}-`));
    const { Corefile = "", ...files } = (map?.data ?? {}) as { readonly [file: string]: string };
    const workload = JSON.stringify(objects.find((each) => isWorkload(each) && each.metadata.name === name));
    return {
      files,
      read: [...new Set([...Corefile.matchAll(/tls \/etc\/coredns\/(.*)/g)].map(([, file]) => file ?? ""))],
      mounted: [...workload.matchAll(/"path":"(ca-[^"]+)"/g)].map(([, file]) => file ?? ""),
    };
  });
}

it("private authorities are files beside both Corefiles, and others are other files", () => {
  const [first = [], second = []] = [ca, `${ca}${ca}${ca}`].map((each) =>
    mounted(each).map(({ files, read, mounted: items }) => {
      expect(Object.values(files).toSorted()).toEqual([each, ca + ca].toSorted());
      expect(read.toSorted()).toEqual(Object.keys(files).toSorted());
      expect(items.toSorted()).toEqual(Object.keys(files).toSorted());
      return read;
    }),
  );
  expect(first).toHaveLength(2);
  expect(first).not.toEqual(second);
});
