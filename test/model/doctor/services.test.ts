import { describe, expect, it } from "vitest";
import { diagnose } from "../../../src/model/doctor/diagnose";
import { described, found, healthy, pod, props, replaced } from "./healthy";

const is = healthy();
const dns = (service: NonNullable<typeof is.services>[number], spec: object) => ({
  ...service,
  spec: { ...service.spec, ...spec },
});

describe("Services", () => {
  it.each([
    [
      "another address",
      { clusterIPs: ["10.96.0.11"] },
      'clusterIPs is ["10.96.0.11"], the cluster file renders ["10.96.0.10"]',
    ],
    [
      "another selector",
      { selector: { "k8s-app": "dns" } },
      'selector is {"k8s-app":"dns"}, the cluster file renders {"k8s-app":"kube-dns"}',
    ],
    [
      "another target port",
      { ports: [{ name: "dns", port: 53, protocol: "UDP", targetPort: 5353 }] },
      expect.stringMatching(
        /^ports is \["dns 53\/UDP to 5353"\], the cluster file renders \["dns 53\/UDP to 53","dns-tcp/,
      ),
    ],
    [
      "endpoints of the same node alone",
      { internalTrafficPolicy: "Local" },
      'internalTrafficPolicy is "Local", the cluster file renders "Cluster"',
    ],
  ])("with %s", (_, spec, evidence) => {
    const services = replaced(is.services, "kube-dns", (service) => dns(service, spec));
    expect(found({ services })[0]).toEqual({
      severity: "error",
      title: "is not as described",
      where: "Service kube-system/kube-dns",
      evidence: [evidence],
    });
  });

  describe("with another address,", () => {
    /** The commands that write. */
    const advised = (
      live: string[],
      kubelet: string[] | undefined,
      said = ["10.96.0.10"],
      read = ["node-1", "node-2"],
    ) => {
      const from = described({ ...props, clusterDNS: said });
      const services = replaced(healthy(from).services, "kube-dns", (service) => dns(service, { clusterIPs: live }));
      const settings = { clusterDNS: kubelet ?? [], clusterDomain: "cluster.local" };
      const kubelets = new Map(kubelet ? read.map((node) => [node, settings] as const) : []);
      const all = diagnose({ ...healthy(from), services, kubelets }, from);
      const { evidence, next } = all.find(({ title }) => title === "is not as described") ?? { evidence: [], next: [] };
      return { evidence, writes: next.filter((each) => /^kubectl (delete|patch|apply) /.test(each)) };
    };
    const apply = expect.stringMatching(/^kubectl apply /);

    it("are replaced if no kubelet leads pods there", () => {
      const { writes } = advised(["10.96.0.99"], ["10.96.0.10"]);
      const remove = expect.stringMatching(/^kubectl delete service kube-dns -n kube-system {2}# first restart pods/);
      expect(writes).toEqual([remove, apply]);
    });

    it("stay if kubelets lead pods there, or may: the cluster file is wrong", () => {
      expect(advised(["10.43.0.10"], undefined).writes).toEqual([]);
      expect(advised(["10.43.0.10"], ["10.96.0.10"], undefined, ["node-1"])).toMatchObject({
        writes: [],
        evidence: [expect.any(String), expect.stringMatching(/not read of node-2: if pods ask 10\.43\.0\.10/)],
      });
      const { writes, evidence } = advised(["10.43.0.10"], ["10.43.0.10"]);
      expect(writes).toEqual([]);
      expect(evidence.join()).toContain(
        "pods ask 10.43.0.10, as kubelets tell them (node-1, node-2): the cluster file is wrong",
      );
    });

    it("of a second family, change in place", () => {
      const [first, second, other] = ["10.96.0.10", "fd00:96::a", "fd00:96::b"];
      expect(advised([first], [first], [first, second]).writes).toEqual([apply]);
      expect(advised([first, second], [first]).writes).toEqual([apply]);
      expect(advised([first, other], [first], [first, second]).writes).toEqual([
        expect.stringContaining('"ipFamilyPolicy":"SingleStack"'),
        apply,
      ]);
    });
  });

  it("without a selector get it by a patch that needs none to be there", () => {
    const services = replaced(is.services, "kube-dns", (service) => dns(service, { selector: undefined }));
    const next = diagnose({ ...is, services, endpointSlices: [] }, described()).flatMap((each) => each.next);
    const patch = '[{"op":"add","path":"/spec/selector","value":{"k8s-app":"kube-dns"}}]';
    expect(next).toContain(`kubectl patch service kube-dns -n kube-system --type=json -p '${patch}'`);
    expect(next.join()).not.toContain("-l  ");
  });

  it("that ask only their own node are mended by a patch", () => {
    const services = replaced(is.services, "kube-dns", (service) => dns(service, { internalTrafficPolicy: "Local" }));
    const [finding] = diagnose({ ...is, services }, described());
    expect(finding?.next.at(-1)).toContain('[{"op":"add","path":"/spec/internalTrafficPolicy","value":"Cluster"}]');
  });

  it("that are missing, with or without a description", () => {
    const services = replaced(is.services, "kube-dns", () => undefined);
    const missing = { severity: "error", title: "is missing", where: "Service kube-system/kube-dns" };
    expect(found({ services })).toMatchObject([missing]);
    expect(diagnose({ ...is, services })).toMatchObject([missing]);
    // The cluster's own may be in another namespace.
    const from = described({ ...props, authoritativeDNS: { kind: "Existing" } });
    expect(found({}, from)).toMatchObject([{ severity: "warning", where: "Service kube-system/kube-dns" }]);
  });

  it("of the cluster itself, at another address", () => {
    const from = described({ ...props, clusterDNS: ["10.96.0.53"], authoritativeDNS: { kind: "Existing" } });
    const services = is.services?.filter(({ metadata }) => metadata.name === "kube-dns");
    const findings = found({ services: [...(services ?? []), ...(healthy(from).services ?? [])], pods: is.pods }, from);
    expect(findings).toContainEqual({
      severity: "error",
      title: "is not as described",
      where: "Service kube-system/kube-dns",
      evidence: ['clusterIPs is ["10.96.0.10"], the cluster file says clusterDNS: ["10.96.0.53"]'],
    });
  });

  it("whose endpoints are none, or not the ready pods", () => {
    const where = "Service kube-system/kube-dns";
    const slices = (endpoints: object[]) => ({
      endpointSlices: replaced(is.endpointSlices, "kube-dns", (slice) => ({ ...slice, endpoints: endpoints as [] })),
    });
    const ready = is.endpointSlices?.find(({ metadata }) => metadata.name === "kube-dns")?.endpoints ?? [];
    expect(found(slices(ready.map((each) => ({ ...each, conditions: { ready: false } }))))).toEqual([
      {
        severity: "error",
        title: "has no ready endpoint",
        where,
        evidence: ["its selector k8s-app=kube-dns has 2 pods, of which 2 are ready"],
      },
    ]);
    expect(found(slices([...ready.slice(1), { addresses: ["192.0.2.1"] }]))).toEqual([
      {
        severity: "error",
        title: "has other endpoints than its ready pods",
        where,
        evidence: [
          "ready, but no endpoint: kube-system/coredns-0 on node-1",
          "an endpoint, but no pod of the selector: 192.0.2.1",
        ],
      },
    ]);
    expect(found(slices(ready.slice(1)))).toMatchObject([{ severity: "warning", where }]);
    const dual = { ...props, clusterDNS: ["10.96.0.10", "fd00:96::a"] };
    expect(found({ endpointSlices: is.endpointSlices }, described(dual))).toContainEqual({
      severity: "error",
      title: "has no ready endpoint",
      where,
      evidence: [
        "none of the family of fd00:96::a: nothing answers at this address",
        "its selector k8s-app=kube-dns has 2 pods, of which 2 are ready",
      ],
    });
  });
});

it("endpoints of a DNS Service that somebody keeps by hand are right", () => {
  const services = replaced(is.services, "kube-dns", (service) => dns(service, { selector: undefined }));
  const endpointSlices = replaced(is.endpointSlices, "kube-dns", (slice) => ({
    ...slice,
    endpoints: [{ addresses: ["192.0.2.1"] }],
  }));
  expect(diagnose({ ...is, services, endpointSlices })).toEqual([]);
});

it("a pod that copies CoreDNS's labels is an endpoint, but none of its pods", () => {
  const debug = pod("debug", "kube-system", { nodeName: "node-1" });
  const stray = {
    ...debug,
    metadata: { ...debug.metadata, labels: { "k8s-app": "kube-dns" } },
    status: { ...debug.status, podIP: "10.244.9.9" },
  };
  const endpointSlices = replaced(is.endpointSlices, "kube-dns", (slice) => ({
    ...slice,
    endpoints: [...(slice.endpoints ?? []), { addresses: ["10.244.9.9"] }],
  }));
  const change = { ...is, endpointSlices, pods: [...(is.pods ?? []), stray] };
  for (const findings of [diagnose(change, described()), diagnose(change)])
    expect(findings).toEqual([
      {
        severity: "error",
        title: "is an endpoint of kube-dns, but no pod of the cluster DNS",
        where: "pod kube-system/debug on node-1",
        nodes: ["node-1"],
        evidence: [expect.stringContaining("(k8s-app=kube-dns)")],
        next: [
          "kubectl get pod debug -n kube-system -o yaml",
          expect.stringMatching(/^kubectl label pod debug -n kube-system k8s-app- /),
        ],
      },
    ]);
});

it("a pod of another's controller is none of a CoreDNS that is a DaemonSet", () => {
  const from = described({ ...props, authoritativeDNS: { kind: "DaemonSet" } });
  const other = pod("copy-7c-x", "kube-system");
  const metadata = { ...other.metadata, labels: { "k8s-app": "kube-dns" } };
  const copy = { ...other, metadata: { ...metadata, ownerReferences: [{ kind: "ReplicaSet", name: "copy-7c" }] } };
  const pods = [...(healthy(from).pods ?? []), copy];
  const title = "is an endpoint of kube-dns, but no pod of the cluster DNS";
  expect(found({ pods }, from)).toContainEqual(expect.objectContaining({ severity: "error", title }));
});
