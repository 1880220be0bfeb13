import { realpathSync, writeFileSync } from "node:fs";
import type { Cluster } from "../../../rig/cluster/cluster";
import type { ClusterNode } from "../../../rig/cluster/node";
import { tool } from "../../../rig/tools";
import { sleep } from "../../../rig/until";
import { cacheProcess, killed, processOf } from "./node-cache";

/** Mends what it broke. */
export type PutBack = () => Promise<void>;

/** The node's cache hangs: it keeps its sockets and answers nothing. The kubelet ends it after half a minute or so. */
export async function hangingCache(cluster: Cluster, node: ClusterNode): Promise<PutBack> {
  const pid = await cacheProcess(cluster, node);
  process.kill(pid, "SIGSTOP");
  return async () => signal(pid, "SIGCONT");
}

/** The same, and so do those that the kubelet starts in its place. */
export async function hangingCaches(cluster: Cluster, node: ClusterNode): Promise<PutBack> {
  const hung = new Set<number>();
  let isOver = false;
  async function hang(): Promise<void> {
    for (; !isOver; await sleep(500)) {
      // There is none for a moment.
      const pid = await cacheProcess(cluster, node).catch(() => undefined);
      if (pid === undefined || hung.has(pid)) continue;
      hung.add(pid);
      signal(pid, "SIGSTOP");
    }
  }
  const hanging = hang();
  return async () => {
    isOver = true;
    await hanging;
    for (const pid of hung) signal(pid, "SIGCONT");
  };
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The kubelet was faster.
  }
}

/** Something deletes our table, as a firewall does that loads its own rules. The watchdog repairs it within a second. */
export async function flushedRules(node: ClusterNode): Promise<PutBack> {
  await node.exec(["nft", "delete", "table", "inet", "node-local-dns"]);
  return async () => undefined;
}

/** Somebody else's link takes the name of ours, which the watchdog then does not touch. */
export async function foreignLink(cluster: Cluster, node: ClusterNode): Promise<PutBack> {
  const watchdog = await processOf("node-local-dns-watchdog", cluster, node);
  // It would make its own again before the name is taken.
  process.kill(watchdog, "SIGSTOP");
  try {
    await node.exec(["ip", "link", "delete", "nodelocaldns"]);
    await node.exec(["ip", "link", "add", "nodelocaldns", "type", "veth", "peer", "name", "foreign"]);
  } finally {
    process.kill(watchdog, "SIGCONT");
  }
  return async () => {
    await node.exec(["ip", "link", "delete", "nodelocaldns"]);
  };
}

/** Another DNS server listens at the cache's address, and gets a part of the queries. */
export async function foreignListener(node: ClusterNode, address: string): Promise<PutBack> {
  const corefile = node.diskFile("foreign.Corefile");
  writeFileSync(
    corefile,
    `.:53 {
    bind ${address}
    template IN TXT . {
        answer "{{ .Name }} 0 IN TXT \\"somebody else\\""
    }
}
`,
  );
  node.start("foreign", [tool("coredns", "coredns"), "-conf", "/foreign.Corefile"]);
  return () => node.stop("foreign", "KILL");
}

/** The node's kubelet tells pods another nameserver. */
export async function otherNameserver(cluster: Cluster, node: ClusterNode, address: string): Promise<PutBack> {
  const configure = async (dropIn: string | undefined) => {
    await node.configureKubelet(dropIn);
    await cluster.nodesReady();
  };
  await configure(
    `apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nclusterDNS: ["${address}"]\n`,
  );
  return () => configure(undefined);
}

/** A firewall of the node's own, with one chain. */
export async function firewall(node: ClusterNode, hook: string, rules: string): Promise<PutBack> {
  await node.exec(["nft", `table ip firewall { chain own { type filter hook ${hook}; ${rules}; }; }`]);
  return async () => {
    await node.exec(["nft", "delete", "table", "ip", "firewall"]);
  };
}

/** Drops what connection tracking does not know, as the replies of the cache. */
export function dropsUntracked(node: ClusterNode): Promise<PutBack> {
  const rule = "udp sport 53 ip daddr 10.244.0.0/16 ct state untracked drop";
  return firewall(node, "postrouting priority -400; policy accept", rule);
}

/** Accepts only what a node is known to serve. */
export function dropsInput(node: ClusterNode): Promise<PutBack> {
  const accepted = [
    "ct state established,related",
    'iifname "lo"',
    "ip protocol icmp",
    "tcp dport 1024-65535",
    "udp dport 1024-65535",
  ];
  return firewall(node, "input priority 0; policy drop", accepted.map((match) => `${match} accept`).join("; "));
}

/** A program without DNS takes the cache's port as soon as the cache lets go of it, so that a new one cannot start. */
export async function portTaken(cluster: Cluster, node: ClusterNode, address: string): Promise<PutBack> {
  const listens = `
    const server = require("node:net").createServer();
    const listen = () => server.listen(53, "${address}");
    server.on("error", () => setTimeout(listen, 1));
    listen();`;
  node.start("taker", [realpathSync(process.execPath), "-e", listens]);
  await killed(await cacheProcess(cluster, node));
  return () => node.stop("taker", "KILL");
}

/** Rules of Kubernetes' node-local-dns, which node-setup cannot remove: another program keeps the lock of iptables. */
export async function lockedLeftovers(node: ClusterNode): Promise<PutBack> {
  const rule = ["raw", "PREROUTING", "-d", "169.254.20.10", "-p", "udp", "--dport", "53"];
  const comment = ["-m", "comment", "--comment", "NodeLocal DNS Cache: skip conntrack", "-j", "NOTRACK"];
  const [table = "", ...match] = rule;
  await node.exec(["iptables-legacy", "-t", table, "-A", ...match, ...comment]);
  const flock = (await node.exec(["sh", "-c", "readlink -f $(command -v flock)"])).trim();
  // Not inherited by sleep, which outlives it.
  node.start("lock", [flock, "--close", "/run/xtables.lock", "sleep", "600"]);
  return () => node.stop("lock", "KILL");
}
