import { describe, expect, it } from "vitest";
import { parseOptions } from "../../src/agent/node-resolver/options";
import { renderCluster } from "../../src/charts/render-cluster";
import { NodeResolver } from "../../src/constructs/node-resolver";
import { clusterOf } from "../../src/model/cluster/cluster";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";
import type { NodeResolverOptions } from "../../src/model/props/node-resolver";
import type { NodePlacement } from "../../src/model/props/placement";
import { cached } from "../cached";
import { rendererOf } from "./rendered";

const services = ["image-registry.openshift-image-registry.svc", "proxy.infra.svc"];
const facts: ClusterDnsProps = { ...cached, clusterDNS: ["10.96.0.10", "fd00:96::a"] };

function container(options: Partial<NodeResolverOptions> = {}, more: Partial<ClusterDnsProps> = {}) {
  const rendered = rendererOf(NodeResolver, "node-resolver", facts);
  return rendered({ nodeResolver: { services, ...options }, ...more }).container("DaemonSet", "node-resolver");
}

describe("NodeResolver", () => {
  it("gives its program arguments that the program accepts", () => {
    const { args: given } = container({ interval: "30s" }, { clusterDomain: "corp.example" });
    const [program, ...args] = given as unknown as string[];
    expect(program).toBe("node-resolver");
    // The kubelet puts the variable's value there.
    expect(parseOptions(args.map((arg) => arg.replace("$(NODE_IP)", "192.0.2.1")))).toEqual({
      services,
      clusterDomain: "corp.example",
      servers: [{ address: "10.96.0.10" }, { address: "fd00:96::a" }],
      intervalSeconds: 30,
      hostsFile: { root: "/host", path: "/etc/hosts" },
      keepLabel: false,
      metrics: { port: 19256, address: "192.0.2.1" },
      healthPort: 19257,
    });
  });

  it("keeps the label under SELinux", () => {
    const seLinuxOptions = { type: "spc_t" };
    const { securityContext } = container({ seLinuxOptions: { ...seLinuxOptions, user: "" } });
    expect(securityContext).toHaveProperty("seLinuxOptions", seLinuxOptions);
    expect(container({ seLinuxOptions }).args).toContain("--keep-selinux-label");
  });

  it("removes the lines from the file where it kept them", () => {
    const removing = container({ state: "removed" });
    expect(removing.args).toEqual(["cleanup", "--hosts-file=/etc/hosts", "--host-root=/host"]);
    expect(removing).not.toHaveProperty("livenessProbe");
  });
});

it("does not move when DNS pods do", () => {
  const objects = (nodePlacement: NodePlacement) => {
    const dns = { authoritativeDNS: { nodePlacement }, nodeLocalDNS: { nodePlacement } };
    const { components } = renderCluster(clusterOf({ ...facts, ...dns, nodeResolver: { services } }));
    return components.find(({ name }) => name === "node-resolver")?.objects;
  };
  const infra = "node-role.kubernetes.io/infra";
  const moved = objects({ nodeSelector: { [infra]: "" }, tolerations: [{ key: infra, operator: "Exists" }] });
  expect(moved).toHaveLength(2);
  expect(moved).toEqual(objects({}));
});
