import { expect, it } from "vitest";
import { mountedCorefile } from "../../../src/model/running/mounted-corefile";

const pods = (container: object, ...volumes: object[]) => ({
  spec: { template: { spec: { containers: [{ name: "exporter" }, { name: "coredns", ...container }], volumes } } },
});
const mount = (mountPath: string, more: object = {}) => ({ volumeMounts: [{ name: "a", mountPath, ...more }] });
const volume = { name: "a", configMap: { name: "mine" } };
const items = { name: "a", configMap: { name: "mine", items: [{ key: "Corefile.prod", path: "Corefile" }] } };
const usual = "/etc/coredns/Corefile";

it.each<[what: string, workload: Parameters<typeof mountedCorefile>[0], path: string, key: string | undefined]>([
  ["in a folder", pods({ args: ["-conf", usual], ...mount("/etc/coredns") }, volume), usual, "Corefile"],
  ["of another key", pods({ args: ["-conf", usual], ...mount("/etc/coredns/") }, items), usual, "Corefile.prod"],
  [
    "of another name",
    pods({ args: ["--conf=/etc/coredns/a/b"], ...mount("/etc/coredns") }, volume),
    "/etc/coredns/a/b",
    "a/b",
  ],
  ["as one file", pods({ args: ["-conf", usual], ...mount(usual, { subPath: "prod" }) }, volume), usual, "prod"],
  [
    "in the working directory",
    pods({ workingDir: "/etc/coredns", ...mount("/etc/coredns") }, volume),
    usual,
    "Corefile",
  ],
  [
    "of the command",
    pods({ command: ["/coredns", "-conf", usual], ...mount("/etc") }, volume),
    usual,
    "coredns/Corefile",
  ],
  ["of an abridged pod", pods({ args: ["-conf", usual] }, items), usual, "Corefile.prod"],
  ["of the image", pods({ ...mount("/etc/coredns") }, volume), "/Corefile", undefined],
  ["of no ConfigMap", pods({ args: ["-conf", usual], ...mount("/etc/coredns") }, { name: "a" }), usual, undefined],
  [
    "of a key that is not mounted",
    pods({ args: ["-conf", "/etc/coredns/other"], ...mount("/etc/coredns") }, items),
    "/etc/coredns/other",
    undefined,
  ],
])("the Corefile is the file that CoreDNS reads: %s", (_, workload, path, key) => {
  expect(mountedCorefile(workload)).toEqual({ path, ...(key && { from: { configMap: "mine", key } }) });
});

it("kube-dns has none", () => {
  const containers = [{ name: "kubedns", image: "k8s-dns-kube-dns:1.22" }];
  const spec = { template: { spec: { containers } } };
  expect(mountedCorefile({ spec })).toBeUndefined();
});
