import { Testing } from "cdk8s";
import { describe, expect, it } from "vitest";
import { parseOptions } from "../../src/agent/node-resolver/options";
import { renderCluster } from "../../src/charts/render-cluster";
import { NodeResolver } from "../../src/constructs/node-resolver";
import { clusterOf } from "../../src/model/cluster/cluster";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";
import type { NodeResolverOptions } from "../../src/model/props/node-resolver";
import type { NodePlacement } from "../../src/model/props/placement";

const service = "image-registry.openshift-image-registry.svc";
const services = [service, "proxy.infra.svc"];
const agentImage = "registry.example/agent:1";
const facts: ClusterDnsProps = { clusterDNS: ["10.96.0.10", "fd00:96::a"], kubeProxyMode: "iptables", agentImage };

interface Manifest {
  readonly kind: string;
  readonly spec: { readonly template: { readonly spec: PodSpec }; readonly updateStrategy: object };
}

interface PodSpec {
  readonly containers: readonly { readonly args: readonly string[]; readonly securityContext: object }[];
}

function render(options: Partial<NodeResolverOptions> = {}, more: Partial<ClusterDnsProps> = {}): readonly Manifest[] {
  const chart = Testing.chart();
  new NodeResolver(chart, "node-resolver", { ...facts, nodeResolver: { services, ...options }, ...more });
  return Testing.synth(chart) as Manifest[];
}

function daemonSet(...args: Parameters<typeof render>): Manifest["spec"] {
  const [found] = render(...args).filter(({ kind }) => kind === "DaemonSet");
  if (!found) throw new Error("no DaemonSet");
  return found.spec;
}

const pod = (...args: Parameters<typeof render>) => daemonSet(...args).template.spec;

describe("NodeResolver", () => {
  it("gives its program arguments that the program accepts", () => {
    const [program, ...args] = pod({ interval: "30s" }, { clusterDomain: "corp.example" }).containers[0]?.args ?? [];
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
    const { securityContext } = pod({ seLinuxOptions: { ...seLinuxOptions, user: "" } }).containers[0] ?? {};
    expect(securityContext).toHaveProperty("seLinuxOptions", seLinuxOptions);
    expect(pod({ seLinuxOptions }).containers[0]?.args).toContain("--keep-selinux-label");
  });

  it("removes the lines from the file where it kept them", () => {
    expect(pod({ state: "removed" }).containers[0]).toMatchObject({
      args: ["cleanup", "--hosts-file=/etc/hosts", "--host-root=/host"],
    });
    expect(pod({ state: "removed" }).containers[0]).not.toHaveProperty("livenessProbe");
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
