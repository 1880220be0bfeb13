import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "vitest";
import { tool } from "../../../../rig/tools";
import { ledToCache } from "../../lib/node-cache";
import { dropsInput, dropsUntracked } from "../../lib/node-faults";
import { expectFired } from "./expect-fired";
import type { Monitored } from "./monitored";

/** Faults of nodes. */
export function firesForNodes(monitored: Monitored): void {
  it("fires when another program answers at the cache's address, and when a node's hosts file is read-only", async () => {
    const [first, second] = [monitored.cluster().node(1), monitored.cluster().node(2)];
    const corefile = join(first.folder, "foreign.Corefile");
    writeFileSync(corefile, foreignCorefile);
    first.start("foreign", [tool("coredns", "coredns"), "-conf", corefile]);
    const hosts = "chmod 555 /etc; grep -v kubernetes /etc/hosts > /tmp/hosts; cat /tmp/hosts > /etc/hosts";
    await second.exec(["sh", "-c", hosts]);
    try {
      await expectFired(monitored.prometheus, ["NodeLocalDNSForeignListener", "NodeResolverHostsFileNotReplaceable"]);
    } finally {
      await first.stop("foreign");
      await second.exec(["chmod", "755", "/etc"]);
    }
    await ledToCache(first);
  });

  it("fires when firewalls on nodes drop replies or queries, and when a node has few ports", async () => {
    const { kubectl } = monitored.cluster();
    const [first, second] = [monitored.cluster().node(1), monitored.cluster().node(2)];
    const ports = (range: string) => second.exec(["sysctl", "-w", `net.ipv4.ip_local_port_range=${range}`]);
    await ports("60000 60500");
    const putBack = [await dropsUntracked(first), await dropsInput(second), async () => ports("32768 60999")];
    const watchdog = await monitored.programOn("node-local-dns-watchdog", second);
    await kubectl.run(["delete", "pod", "-n", "kube-system", watchdog.metadata.name]);
    try {
      await expectFired(monitored.prometheus, [
        "NodeLocalDNSRepliesLost",
        "NodeLocalDNSBlocked",
        "NodeLocalDNSUnfitSetting",
      ]);
    } finally {
      for (const mend of putBack) await mend();
    }
  });

  it("fires when programs on a node hang", async () => {
    const node = monitored.cluster().node(2);
    const pods = [
      await monitored.programOn("node-local-dns-watchdog", node),
      await monitored.programOn("node-resolver", node),
    ];
    for (const each of pods) process.kill(node.podProcess(each.metadata.uid ?? ""), "SIGSTOP");
    await expectFired(monitored.prometheus, ["NodeLocalDNSWatchdogDown", "NodeResolverDown"]);
  });
}

/** A resolver that knows nothing, at the cache's address. */
const foreignCorefile = `. {
    bind 169.254.20.10
    template ANY ANY {
        rcode NXDOMAIN
    }
}
`;
