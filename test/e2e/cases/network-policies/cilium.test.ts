import { beforeAll, describe } from "vitest";
import { clusterDns } from "../../../../rig/cluster/addresses";
import { deploy } from "../../../../rig/cluster/deploy";
import type { ClusterDnsProps } from "../../../../src/model/props/cluster-dns";
import { itAllowsCacheAndPods, useDeniedPod } from "./denied-pod";

describe("local-redirect, Cilium", () => {
  const use = useDeniedPod({ cilium: true });
  const props: ClusterDnsProps = {
    clusterDNS: [clusterDns.ipv4],
    kubeProxyMode: "none",
    cni: "cilium",
    networkPolicies: true,
  };

  beforeAll(async () => {
    await deploy(use.cluster(), props);
  });

  itAllowsCacheAndPods(use, props, clusterDns.ipv4);
});
