import { expect, it } from "vitest";
import { service, taken } from "./objects";

const workload = (name: string, labels: object, metadata: object = {}, kind = "Deployment") => ({
  kind,
  metadata: { name, namespace: "kube-system", ...metadata },
  spec: { selector: { matchLabels: labels }, template: { metadata: { labels } } },
});
const dns = { "k8s-app": "kube-dns" };
const selecting = (selector: object) => ({ ...service, spec: { ...service.spec, selector } });
const last =
  "its pods have no label k8s-app: kube-dns, so apply our Service kube-dns, which goes by that, only once ours is ready";
const ab = { a: "b" };
const fixed =
  "Deployment coredns: its selector is not that of ours, and cannot change: delete it with --cascade=orphan right before ours is applied";
it.each<[what: string, objects: object[], todo: string[]]>([
  ["in place", [service, workload("coredns", dns)], []],
  ["a fixed selector", [service, workload("coredns", { ...dns, ...ab })], [`${fixed}, which takes over its pods`]],
  ["not its pods", [selecting(ab), workload("coredns", ab)], [`${fixed}; ${last}, then delete its ReplicaSets`]],
  ["others", [selecting(ab), workload("dns", ab)], [`Deployment dns: runs beside ours; ${last}, then delete it`]],
  [
    "none behind the Service",
    [selecting(ab), workload("dns", { a: "c" })],
    ["Service kube-dns: no Deployment or DaemonSet among the objects has its pods (a: b), so none was read"],
  ],
  [
    "a second one",
    [
      service,
      workload("coredns", dns),
      workload("coredns", dns, { annotations: { "meta.helm.sh/release-name": "dns" } }, "DaemonSet"),
    ],
    [
      "DaemonSet coredns: a second DNS workload, which is not read; runs beside ours, and both answer; turn it off at Helm once ours runs",
    ],
  ],
  [
    "another Service",
    [{ ...service, metadata: { ...service.metadata, name: "dns", labels: dns } }, workload("coredns", dns)],
    ["Service dns: we name the Service kube-dns; delete this one first"],
  ],
])("objects that ours does not replace in place: %s", (_, objects, todo) => expect(taken(objects).todo).toEqual(todo));
