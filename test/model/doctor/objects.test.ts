import { describe, expect, it } from "vitest";
import { diagnose } from "../../../src/model/doctor/diagnose";
import type { ConfigMap, PodSpec } from "../../../src/model/kubernetes/kinds";
import { described, found, healthy, props, replaced } from "./healthy";

const is = healthy();

it("finds nothing in a cluster that is as described, nor without a description", () => {
  for (const given of [
    props,
    { ...props, kubeProxyMode: "nftables" as const },
    { clusterDNS: ["10.96.0.10"], kubeProxyMode: "ipvs" as const },
    { ...props, clusterDNS: ["fd00:96::a", "10.96.0.10"] },
    { ...props, clusterDNS: ["fd00:96::a"] },
    { ...props, monitoring: { namespace: "observability" }, smokeTest: true },
  ])
    expect(diagnose(healthy(described(given)), described(given))).toEqual([]);
  expect(diagnose(healthy())).toEqual([]);
});

describe("what is to be applied", () => {
  const advised = (given: typeof props) => {
    const from = described(given);
    const services = replaced(healthy(from).services, "kube-dns", () => undefined);
    return diagnose({ ...healthy(from), services }, from)[0]?.next.slice(1);
  };
  const first = ["npx cdk8s-cluster-dns synth prod", "npx cdk8s-cluster-dns diff --live prod"];

  it("is rendered first: the manifests may be older than the cluster file", () => {
    expect(advised(props)).toEqual([...first, "kubectl apply --server-side --force-conflicts -k dist/prod"]);
  });

  it("is left to the controller", () => {
    expect(advised({ ...props, gitops: { argocd: { repoURL: "https://git.example/dns.git" } } })).toEqual([
      ...first,
      "# commit dist/prod, and let Argo CD sync Application cluster-dns-prod",
    ]);
    expect(advised({ ...props, gitops: { flux: {} } })).toEqual([
      ...first,
      "# commit dist/prod, and let Flux reconcile its Kustomizations",
    ]);
  });
});

describe("configurations", () => {
  const name = is.configMaps?.find(({ metadata }) => metadata.name.startsWith("coredns-"))?.metadata.name ?? "";
  const where = `ConfigMap kube-system/${name}`;

  it("missing", () => {
    expect(found({ configMaps: replaced(is.configMaps, name, () => undefined) })).toMatchObject([
      { severity: "error", title: "is missing", where },
    ]);
  });

  it("not applied yet are no more than another configuration", () => {
    const older = (spec: PodSpec) => ({ ...spec, volumes: [{ configMap: { name: "coredns-old" } }] });
    const change = {
      configMaps: replaced(is.configMaps, name, (each) => ({ ...each, metadata: { name: "coredns-old" } })),
      workloads: replaced(is.workloads, "coredns", (each) => ({
        ...each,
        spec: { ...each.spec, template: { spec: older(each.spec.template.spec) } },
      })),
      pods: is.pods?.map((each) =>
        each.metadata.name.startsWith("coredns-") ? { ...each, spec: older(each.spec) } : each,
      ),
    };
    const other = { severity: "warning", title: "has another configuration than described" };
    expect(found(change)).toMatchObject([other]);
    // A pod of a rollout that was undone.
    expect(found({ ...change, pods: is.pods })[0]).toMatchObject({ severity: "error", title: "is missing", where });
  });

  it("that nothing mounts, missing or changed by hand", () => {
    const from = described({ ...props, monitoring: {} });
    const dashboard = (change: Parameters<typeof replaced<ConfigMap>>[2]) =>
      diagnose(
        { ...healthy(from), configMaps: replaced(healthy(from).configMaps, "cluster-dns-dashboard", change) },
        from,
      );
    const warning = { severity: "warning", where: "ConfigMap kube-system/cluster-dns-dashboard" };
    expect(dashboard(() => undefined)).toMatchObject([
      { ...warning, title: "is missing", evidence: ["the cluster file renders it, the cluster does not have it"] },
    ]);
    const [changed, ...more] = dashboard((each) => ({ ...each, data: {} }));
    expect([changed, more]).toMatchObject([{ ...warning, title: "was changed by hand" }, []]);
    expect(changed?.next.join()).not.toContain("delete");
  });

  it("changed by hand are deleted only if they are immutable", () => {
    const from = described({ ...props, authoritativeDNS: { autoscaler: {} } });
    const was = healthy(from).configMaps ?? [];
    const configMaps = was.map((each) => ({ ...each, data: { ...each.data, more: "by hand" } }));
    const all = diagnose({ ...healthy(from), configMaps }, from).filter(({ title }) => title === "was changed by hand");
    const deleted = all.flatMap(({ next }) => next.filter((each) => each.startsWith("kubectl delete")));
    const immutable = was.filter((each) => each.immutable === true);
    expect(deleted).toEqual(
      immutable.map(({ metadata }) => `kubectl delete configmap ${metadata.name} -n kube-system`),
    );
    expect([all.length, immutable.length > 0]).toEqual([was.length, immutable.length < was.length]);
  });

  it("changed by hand, so that CoreDNS cannot read it", () => {
    const configMaps = replaced(is.configMaps, name, (each) => ({
      ...each,
      data: { Corefile: each.data?.["Corefile"]?.replace(/}\n$/, "") ?? "" },
    }));
    expect(found({ configMaps })).toEqual([
      {
        severity: "error",
        title: "was changed by hand",
        where,
        evidence: [expect.stringMatching(/^Corefile: line \d+ is "", the cluster file renders "}"$/)],
      },
      { severity: "error", title: "has a Corefile that cannot be read", where, evidence: ["a brace is not closed"] },
    ]);
  });

  it("other than described in the template, or in pods that a rollout has not replaced", () => {
    const mounting = (configMap: string) => ({ volumes: [{ configMap: { name: configMap } }] });
    const workloads = replaced(is.workloads, "coredns", (each) => ({
      ...each,
      spec: { ...each.spec, template: { spec: { ...each.spec.template.spec, ...mounting("coredns-old") } } },
    }));
    expect(
      found({
        workloads,
        pods: replaced(is.pods, "coredns-0", (each) => ({
          ...each,
          spec: { ...each.spec, ...mounting("coredns-old") },
        })),
      }),
    ).toMatchObject([
      {
        severity: "warning",
        title: "has another configuration than described",
        evidence: [`it mounts coredns-old, the cluster file renders ${name}: an earlier version, or changed by hand`],
      },
      {
        severity: "warning",
        title: "has pods of an earlier configuration",
        evidence: [`kube-system/coredns-1 on node-2 mount ${name}, new pods mount coredns-old`],
      },
    ]);
  });
});

it("a check that fails on an odd object does not hide what the others find", () => {
  const odd = { metadata: { name: "node-3" }, spec: { taints: 5 } } as unknown as NonNullable<typeof is.nodes>[number];
  const services = replaced(is.services, "kube-dns", () => undefined);
  expect(found({ nodes: [...(is.nodes ?? []), odd], services })).toMatchObject([
    { severity: "error", title: "is missing", where: "Service kube-system/kube-dns" },
    { severity: "error", title: "could not be checked", where: "check nodeCoverage" },
  ]);
});

describe("what could not be read", () => {
  it("is an error only where nothing can be said without it", () => {
    const severityOf = (path: string) => found({ unread: [{ what: "it", why: "forbidden", path }] })[0]?.severity;
    expect(severityOf("/apis/apps/v1/namespaces/kube-system/daemonsets?resourceVersion=0")).toBe("error");
    expect(severityOf("/api/v1/namespaces/kube-system/pods/coredns-0/log?container=coredns")).toBe("warning");
    expect(severityOf("/api/v1/nodes/node-1/proxy/configz")).toBe("warning");
  });

  it("is said, and taken for nothing else", () => {
    const why = 'services is forbidden: User "joe" cannot list resource "services"';
    const unread = [{ what: "services of kube-system", why, path: "/api/v1/namespaces/kube-system/services" }];
    const nothing = {
      nodes: undefined,
      pods: undefined,
      services: undefined,
      endpointSlices: undefined,
      configMaps: undefined,
      workloads: undefined,
      jobs: undefined,
      events: undefined,
      networkPolicies: undefined,
      webhooks: undefined,
      namespaces: undefined,
      proxyConfigurations: undefined,
    };
    expect(diagnose({ ...is, ...nothing, unread }, described())).toEqual([
      {
        severity: "error",
        title: "could not be read, and was not checked",
        where: "services of kube-system",
        evidence: [why],
        next: ["kubectl get --raw '/api/v1/namespaces/kube-system/services'"],
      },
    ]);
  });

  it("is an error of EndpointSlices, without which a Service may have nobody behind it", () => {
    const path = "/apis/discovery.k8s.io/v1/namespaces/kube-system/endpointslices?resourceVersion=0";
    const unread = [{ what: "endpointslices of kube-system", why: "forbidden", path }];
    expect(found({ endpointSlices: undefined, unread })).toMatchObject([{ severity: "error", title }]);
  });

  const title = "could not be read, and was not checked";
  const dropped = "error trying to reach service: dial tcp 10.244.0.3:8080: i/o timeout";
  it.each([
    ["expected of pods that policies shut off from the API server", true, dropped, "webhook", "info"],
    ["a warning without policies", false, dropped, "webhook", "warning"],
    ["a warning if only the webhook has a policy, which lets everybody read", undefined, dropped, "webhook", "warning"],
    ["a warning if something answers", true, "404 page not found (HTTP 404)", "webhook", "warning"],
    ["a warning on the host's network, where no policy is in force", true, dropped, "watchdog", "warning"],
  ])("is %s", (_, networkPolicies, why, app, severity) => {
    const from = described({
      ...props,
      admission: { allowedUsers: ["argo"], placementGuard: true },
      ...(networkPolicies !== undefined && { networkPolicies }),
    });
    const [ofApp] = (healthy(from).pods ?? []).filter(({ metadata }) => metadata.name.includes(app));
    const name = ofApp?.metadata.name ?? "";
    const path = `/api/v1/namespaces/kube-system/pods/${name}:8080/proxy/metrics`;
    const unread = [{ what: `metrics of pod ${name}`, why, path }];
    const findings = diagnose({ ...healthy(from), unread }, from).filter((each) => each.title === title);
    expect(findings).toMatchObject([{ severity, where: `metrics of pod ${name}` }]);
    const forward = `kubectl port-forward -n kube-system ${name} 8080  # then: curl -s http://127.0.0.1:8080/metrics`;
    expect(findings[0]?.next).toEqual([severity === "info" ? forward : `kubectl get --raw '${path}'`]);
  });
});
