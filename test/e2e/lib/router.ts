import { serviceRanges } from "../../../rig/cluster/addresses";
import type { Cluster } from "../../../rig/cluster/cluster";

/** The control plane's namespace, the nodes' router here, has a kube-proxy. A real router knows no Services, nor does this. */
export async function forgetServicesOnRouter({ controlPlane }: Cluster): Promise<void> {
  const rule = `iifname "br0" ip daddr ${serviceRanges.ipv4} drop`;
  const table = `table ip router { chain in { type filter hook prerouting priority -300; ${rule}; }; }`;
  await controlPlane.exec(["nft", table]);
}
