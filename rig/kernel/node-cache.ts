import type { ChildProcess } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { renderCluster } from "../../src/charts/render-cluster";
import { clusterOf } from "../../src/model/cluster/cluster";
import { until } from "../until";
import { stop } from "./namespace";
import { addresses, answersOfItself, type Network } from "./network";

const { service, linkLocal, dns } = addresses.IPv4;
const localAddresses = [linkLocal, service];

/** A build of upstream's node-cache (docs/development.md); without one, CoreDNS and a shell do on the node what it does. */
const binary = process.env["CLUSTER_DNS_NODE_CACHE"];

/** Upstream's node-cache on a node, with link and rules of its own. */
export interface NodeCache {
  readonly process: ChildProcess;
  /** As the kubelet stops it: it removes its rules, then its link, then exits. */
  terminate(): Promise<void>;
}

/** Starts it as rendered without `agentImage`; resolves once its rules are in place. */
export async function startNodeCache(network: Network): Promise<NodeCache> {
  // It makes a dummy link, for which not every kernel is built; it takes over what it finds.
  if (!hasLink(network) && (binary === undefined || !hasDummies(network))) addLink(network);
  if (binary === undefined) {
    addAddresses(network);
    const process = await network.startCache(localAddresses, { clusterDNS: [dns] });
    if (!hasRules(network)) changeRules(network, "-I");
    return {
      process,
      terminate: async () => {
        uninstallNodeCache(network);
        await stop(process);
      },
    };
  }
  const process = startBinary(network, binary);
  await until("node-cache's rules", 70, async () => hasRules(network), 100);
  return { process, terminate: async () => void (await stop(process)) };
}

/** Whether node-cache's NOTRACK leads queries to whatever is on its addresses. */
export function hasRules(network: Network): boolean {
  return ["nft", "legacy"].some((backend) =>
    network.node.run(`iptables-${backend}-save`, []).includes("NodeLocal DNS Cache: skip conntrack"),
  );
}

export function hasLink(network: Network): boolean {
  return network.node.ip("-brief link show").includes("nodelocaldns");
}

/** Link and rules as it makes them. */
export function installNodeCache(network: Network): void {
  addLink(network);
  addAddresses(network);
  changeRules(network, "-I");
}

function addLink(network: Network): void {
  network.node.ip(`link add nodelocaldns type ${hasDummies(network) ? "dummy" : "bridge"}`);
}

function hasDummies({ node }: Network): boolean {
  try {
    node.ip("link add cdns-probe type dummy");
    node.ip("link delete cdns-probe");
    return true;
  } catch {
    return false;
  }
}

function addAddresses(network: Network): void {
  for (const address of localAddresses) network.node.ip(`address replace ${address}/32 dev nodelocaldns`);
}

function uninstallNodeCache(network: Network): void {
  changeRules(network, "-D");
  network.node.ip("link delete nodelocaldns");
}

// kubernetes/dns cmd/node-cache/app/cache_app.go. Removing tolerates what somebody else has removed.
function changeRules({ node }: Network, how: "-I" | "-D"): void {
  for (const address of localAddresses) {
    for (const protocol of ["udp", "tcp"]) {
      const query = ["-d", address, "-p", protocol, "--dport", "53"];
      const reply = ["-s", address, "-p", protocol, "--sport", "53"];
      const rule = (table: string, chain: string, match: string[], text: string, target: string) => {
        const comment = ["-m", "comment", "--comment", `NodeLocal DNS Cache: ${text}`];
        try {
          node.run("iptables-legacy", ["-t", table, how, chain, ...match, ...comment, "-j", target]);
        } catch (error) {
          if (how === "-I") throw error;
        }
      };
      rule("raw", "PREROUTING", query, "skip conntrack", "NOTRACK");
      rule("filter", "INPUT", query, "allow DNS traffic", "ACCEPT");
      rule("raw", "OUTPUT", reply, "skip conntrack", "NOTRACK");
      rule("filter", "OUTPUT", reply, "allow DNS traffic", "ACCEPT");
      rule("raw", "OUTPUT", query, "skip conntrack", "NOTRACK");
    }
  }
}

/** Runs the binary with the arguments and the Corefile of the manifest, and a zone that shows who answered. */
function startBinary(network: Network, program: string): ChildProcess {
  const { components } = renderCluster(clusterOf({ clusterDNS: [service], kubeProxyMode: "iptables" }));
  const objects = components.flatMap((component) => component.objects) as Rendered[];
  const corefile = objects.find(({ metadata }) => metadata.name.startsWith("node-local-dns-"))?.data?.Corefile ?? "";
  const container = objects.find(({ kind }) => kind === "DaemonSet")?.spec?.template.spec.containers[0];
  const folder = join(network.folder, "node-cache");
  mkdirSync(folder, { recursive: true });
  const own = answersOfItself("1")
    .replace("$LISTEN", localAddresses.join(" "))
    .replace("$LISTEN", localAddresses.join(" "));
  writeFileSync(join(folder, "Corefile.base"), own + corefile.replaceAll("/etc/resolv.conf", dns));
  const given =
    container?.env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const])) ?? [];
  const env = {
    ...Object.fromEntries(given),
    NODE_IP: addresses.IPv4.node,
    POD_NAME: "node-cache",
    // Addressed past kube-proxy: the rig has no second Service.
    KUBE_DNS_UPSTREAM_SERVICE_HOST: dns,
  };
  const args = (container?.args ?? []).map((arg) =>
    arg.replace("$(NODE_IP)", env.NODE_IP).replace(/^\/(run\/node-cache|etc\/coredns|run)\//, `${folder}/`),
  );
  return network.node.start([program, ...args], env);
}

interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: { readonly Corefile?: string };
  readonly spec?: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly {
          readonly args: readonly string[];
          readonly env: readonly { readonly name: string; readonly value?: string }[];
        }[];
      };
    };
  };
}
