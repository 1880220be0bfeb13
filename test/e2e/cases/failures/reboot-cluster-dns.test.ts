import { expect, it } from "vitest";
import { load } from "../../../../rig/load/load";
import { sleep, until } from "../../../../rig/until";
import { underLoad } from "./under-load";
import { type PodObject, ledToCache, readyDnsAddresses } from "../../lib/programs";

// A node loses power, and with it one of two CoreDNS.
const authoritativeDNS = { kind: "DaemonSet" } as const;
const r = underLoad({ kubeProxyMode: "iptables", interception: "service-ip", authoritativeDNS });

/** For kube-proxy's rules, and as long as the cache keeps a SERVFAIL. */
const afterwardsMs = 6000;

it.each([
  ["before", () => sleep(3000)],
  ["after", (gone: Promise<unknown>) => gone],
] as const)(
  "back %s Kubernetes notices: others lose at most half of what their caches do not know",
  async (when, boots) => {
    await r.begin();
    for (const node of r.cluster().nodes) await ledToCache(node);
    const old = await r.podOf("kube-dns");
    const neighbour = await r.cluster().pod("neighbour");
    await neighbour.forgetFlows();
    expect(await leadsTo(old)).toBe(true);

    let offAt = Infinity;
    let goneAt = Infinity;
    const names = ["%.default.svc.cluster.local"]; // no cache knows them
    const report = await load(neighbour, { server: r.server, names }, async () => {
      await sleep(1500);
      offAt = Date.now();
      await r.node().powerOff();
      const gone = until("the end of the pod's endpoint", 60, async () => !(await leadsTo(old)), 100);
      gone.then(() => (goneAt = Date.now())).catch(() => undefined);
      await boots(gone);
      await r.node().powerOn();
      await gone;
      await r.cluster().nodesReady();
      await ledToCache(r.node());
      await sleep(3000);
    });
    const [offMs, goneMs] = [offAt - report.startedAt, goneAt - report.startedAt];
    r.tell(
      `a reboot with one of two CoreDNS, back ${when} it is unready (${goneMs - offMs} ms), names unknown`,
      report,
    );
    const last = report.windows.at(-1);
    expect((last?.fromMs ?? 0) + (last?.lengthMs ?? 0)).toBeLessThan(goneMs + afterwardsMs);
    const meanwhile = report.queries.filter(({ sentMs }) => sentMs >= offMs && sentMs < goneMs + afterwardsMs);
    expect(report.lost).toBeLessThanOrEqual(meanwhile.length / 2);
  },
);

/** Whether Service `kube-dns` still leads to the pod as it was. */
async function leadsTo({ status: old }: PodObject): Promise<boolean> {
  if (!(await readyDnsAddresses(r.cluster())).includes(old?.podIP ?? "")) return false;
  // After a boot it may get the same address again.
  const [now] = (await r.podOf("kube-dns")).status?.containerStatuses ?? [];
  return now?.ready !== true || now.restartCount === old?.containerStatuses?.[0]?.restartCount;
}
