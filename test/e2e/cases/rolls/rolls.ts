import { beforeAll, expect, it } from "vitest";
import { clusterDns } from "../../../../rig/cluster/addresses";
import type { KubernetesObject } from "../../../../rig/cluster/kubectl";
import type { LoadReport } from "../../../../rig/load/report";
import { sleep, until } from "../../../../rig/until";
import type { ClusterDnsProps } from "../../../../src/model/props/cluster-dns";
import { expectLostAtMost } from "../../../expect-lost";
import { dig } from "../../lib/dig";
import { argoCd, flux, untilHealthy, untilTerminated, type GitOpsController, Commits } from "../../lib/gitops";
import { useCluster, useClient } from "../../lib/use-cluster";
import { renderedObjects } from "../../../../rig/cluster/deploy";
import { type PodObject, podsOf } from "../../lib/programs";
import { bothAnswers, toldLoad } from "../../lib/usual";
import { installByKubeadm } from "../../lib/other-dns";

/**
 * Changes of authoritative DNS under load. Modes differ in how kube-proxy forgets a pod, edits in which pods are
 * replaced. So each mode has some of the edits, and together they have all.
 */
export function rolls(kubeProxyMode: "iptables" | "nftables"): void {
  const cluster = useCluster({ proxyMode: kubeProxyMode });
  const client = useClient(cluster);
  const isIptables = kubeProxyMode === "iptables";
  const base: ClusterDnsProps = { clusterDNS: [clusterDns.ipv4], kubeProxyMode, nodeLocalDNS: { state: "disabled" } };
  const commits = new Commits(cluster);

  beforeAll(async () => {
    await installByKubeadm(cluster());
    const question = { server: clusterDns.ipv4, name: "kubernetes.default.svc.cluster.local" };
    await until("cluster DNS to answer", 30, async () => (await dig(client(), question)).udp.status === "NOERROR");
  });

  // kubeadm's pods stop within five seconds; kube-proxy forgets the flows of a stopped pod a second later.
  const side = isIptables ? "server" : "client";
  it(`is taken over from kubeadm without losing a new flow, by ${side}-side apply`, async () => {
    const report = await during("taken over from kubeadm", async () => {
      if (isIptables) await commits.commit(flux, base);
      else await cluster().kubectl.apply((commits.current = renderedObjects(base)));
    });
    expectLostAtMost(report, { lostOfNewFlows: 0 });
    expect(report.answers).toEqual(bothAnswers);
  });

  const daemonSet: Partial<ClusterDnsProps> = { authoritativeDNS: { kind: "DaemonSet" } };
  const edits: readonly {
    what: string;
    controller: GitOpsController;
    from: Partial<ClusterDnsProps>;
    edit: Partial<ClusterDnsProps>;
  }[] = isIptables
    ? [
        {
          what: "upstreams and pod records",
          controller: argoCd,
          from: {},
          edit: { upstreamNameservers: ["172.30.0.1"], authoritativeDNS: { pods: "verified" } },
        },
      ]
    : [
        {
          what: "placement and replicas",
          controller: flux,
          from: {},
          edit: {
            authoritativeDNS: { replicas: 3, nodePlacement: { nodeSelector: { "kubernetes.io/hostname": "node-2" } } },
          },
        },
        { what: "its kind to a DaemonSet", controller: flux, from: {}, edit: daemonSet },
        { what: "its kind to a Deployment", controller: argoCd, from: daemonSet, edit: {} },
      ];

  it.each(edits)("changes $what without losing a new flow", async ({ what, controller, from, edit }) => {
    await commits.commit(controller, { ...base, ...from });
    expectNoNewFlowLost(await during(what, () => commits.commit(controller, { ...base, ...edit })));
  });

  const failing = isIptables
    ? {
        what: "does not parse",
        corefile: ".:53 {\n    no-such-plugin\n}\n",
        controller: flux,
        hasFailed: ({ status }: PodObject) => (status?.containerStatuses?.[0]?.restartCount ?? 0) > 0,
      }
    : {
        what: "parses but serves nothing",
        corefile:
          ".:53 {\n    ready\n    health\n    kubernetes cluster.local {\n        endpoint https://127.0.0.1:1\n    }\n}\n",
        controller: argoCd,
        // a starting kubelet briefly reports a container ready that is younger than 10 s (kubeletRestartGracePeriod)
        hasFailed: ({ status }: PodObject) =>
          Date.now() - Date.parse(status?.containerStatuses?.[0]?.state?.running?.startedAt ?? "") > 12_000,
      };

  it(`keeps serving with its old pods when a Corefile ${failing.what}, whatever happens to them`, async () => {
    const good = commits.current;
    const report = await during(`a Corefile that ${failing.what}`, async () => {
      await commits.commit(failing.controller, withCorefile(good, failing.corefile), false);
      const isOld = ({ spec }: PodObject) =>
        good.some(({ metadata }) => metadata.name === spec.volumes?.[0]?.configMap?.name);
      const isReady = ({ status }: PodObject) => status?.containerStatuses?.[0]?.ready === true;
      const old = (await dnsPods()).filter(isOld);
      expect(old).toHaveLength(2);
      await until("the failure of a new pod", 60, async () =>
        (await dnsPods()).some((each) => !isOld(each) && failing.hasFailed(each)),
      );

      const serving = async (count: number) => {
        const pods = await dnsPods();
        expect(pods.filter((each) => !isOld(each) && isReady(each))).toEqual([]);
        return pods.filter((each) => isOld(each) && isReady(each)).length === count;
      };
      // one after the other: a starting kubelet reports its pods unready until it has probed them
      for (const node of cluster().nodes) {
        await node.restartKubelet();
        await cluster().nodesReady();
        await sleep(3000);
        await until("the readiness of the old pods", 60, () => serving(2));
      }
      // its successor starts from the old description, for which it needs what the commit has pruned
      await cluster().kubectl.run(["delete", "pod", "-n", "kube-system", old[0]?.metadata.name ?? "", "--wait=false"]);
      await until("a successor of the old pod", 60, () => serving(2));
      await commits.commit(failing.controller, good);
    });
    expectNoNewFlowLost(report);
  });

  /** Sends 500 queries a second from before the change until the last of the previous pods is gone. */
  function during(what: string, change: () => Promise<void>): Promise<LoadReport> {
    return toldLoad(`kube-proxy in ${kubeProxyMode} mode, ${what}`, client(), clusterDns.ipv4, async () => {
      await change();
      await untilHealthy(cluster(), commits.current);
      await untilTerminated(cluster(), "kube-system");
    });
  }

  const dnsPods = () => podsOf(cluster(), "kube-dns");
}

/**
 * Allows only what kube-proxy itself loses: it deletes the known flows of an unready pod one by one (for half a second,
 * pkg/proxy/conntrack), and an answer under way at that moment finds no way back. Its query came from a source port
 * used within the last 30 seconds. 5 is 10 ms of queries; 0 or 1 are observed.
 */
function expectNoNewFlowLost(report: LoadReport): void {
  expectLostAtMost(report, { lostOfNewFlows: 0, lost: 5 });
  expect(report.answers).toEqual(bothAnswers);
}

/** The same description with a Corefile that no cluster file produces. */
function withCorefile(objects: readonly KubernetesObject[], corefile: string): KubernetesObject[] {
  const name = objects.find(({ kind }) => kind === "ConfigMap")?.metadata.name;
  if (name === undefined) throw new Error("no ConfigMap among the objects");
  return objects.map((object) => {
    const renamed = JSON.parse(JSON.stringify(object).replaceAll(name, "coredns-failing")) as KubernetesObject;
    return object.kind === "ConfigMap" ? { ...renamed, data: { Corefile: corefile } } : renamed;
  });
}
