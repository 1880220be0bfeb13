import { expect, it } from "vitest";
import { diagnose } from "../../../src/model/doctor/diagnose";
import { parseSamples } from "../../../src/model/kubernetes/samples";
import { names } from "../../../src/model/object-names";
import { found, healthy, measured, replaced } from "./healthy";

const is = healthy();

it("the same condition on several nodes is one finding, with commands for the first", () => {
  const [watchdog] = (is.pods ?? []).filter(({ metadata: { labels } }) => labels?.["k8s-app"] === names.watchdog);
  if (!watchdog) throw new Error("no watchdog in the snapshot");
  const repaired = [0, 3, 2, 3, 2, 4, 5, 6].map((times, index) => {
    const name = `watchdog-${index}`;
    const pod = { ...watchdog, metadata: { ...watchdog.metadata, name } };
    const samples = parseSamples(`node_local_dns_watchdog_repairs_total{kind="rules"} ${times}`);
    return [{ ...pod, spec: { ...pod.spec, nodeName: `n-${index}` } }, [name, samples]] as const;
  });
  const pods = [...(is.pods ?? []), ...repaired.map(([pod]) => pod)];
  const metrics = new Map([...is.metrics, ...repaired.map(([, read]) => read)]);
  const repairs = diagnose({ ...is, pods, metrics }).filter(({ title }) => title.startsWith("something on the node"));
  expect(repairs).toEqual([
    {
      severity: "warning",
      title: "something on the node removes our link or rules",
      nodes: [1, 2, 3, 4, 5, 6, 7].map((index) => `n-${index}`),
      where: "7 nodes: n-1, n-2, n-3, n-4, n-5 and 2 more",
      evidence: [
        "repaired since the watchdog's start: rules 3 times (n-1, n-3)",
        "repaired since the watchdog's start: rules 2 times (n-2, n-4)",
        "repaired since the watchdog's start: rules 4 times (n-5)",
        "repaired since the watchdog's start: rules 5 times (n-6)",
        "and 1 more like these",
      ],
      next: [
        "kubectl logs watchdog-1 -n kube-system --tail=50",
        "kubectl get pods -n kube-system -o wide --field-selector spec.nodeName=n-1",
        expect.stringMatching(/^nft monitor .* on n-1, /),
      ],
    },
  ]);
});

it("an evicted cache is none: the watchdog leads past it, as it should", () => {
  const past = measured('node_local_dns_watchdog_local{listener="udp-10.96.0.10"} 0');
  const name = "node-local-dns-0";
  expect(found(past)).toMatchObject([{ title: "queries go past the node's cache" }]);
  const evicted = replaced(is.pods, name, (pod) => ({ ...pod, status: { phase: "Failed", reason: "Evicted" } }));
  expect(found({ ...past, pods: evicted }).map(({ title }) => title)).not.toContain("queries go past the node's cache");
});
