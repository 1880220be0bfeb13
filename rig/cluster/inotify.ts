import { readFileSync, writeFileSync } from "node:fs";

const limit = "/proc/sys/fs/inotify/max_user_instances";

/** Four clusters of three nodes, each with a kubelet, containerd and kube-proxy that need some ten each. */
const enough = 1024;

/**
 * Allows as many inotify instances as clusters beside each other need. All nodes run as the machine's root, which has 128
 * by default: then containerd starts without its CRI, or the kubelet without cAdvisor, and the node is never ready.
 */
export function allowInotifyInstances(): void {
  if (Number(readFileSync(limit, "utf8")) < enough) writeFileSync(limit, String(enough));
}
