// One of two writers: `writer ROOT TIMES SERVICE`. Rewrites a Service's lines so many times, with new addresses.
import { replaceHostsFile } from "../../../src/agent/hosts-file/replace";
import { updateHosts } from "../../../src/model/node-resolver/hosts-lines";

const [root = "", times = "", service = ""] = process.argv.slice(2);

async function main(): Promise<void> {
  let written = 0;
  for (let i = 0; written < Number(times); i++) {
    const answers = { IPv4: [`10.0.${(i >> 8) & 255}.${i & 255}`, "10.9.9.9"], IPv6: ["fd00::1"] };
    const other = service === "a.ns.svc" ? "b.ns.svc" : "a.ns.svc";
    const failed = { IPv4: "failed", IPv6: "failed" } as const;
    const services = [
      { service, qualified: `${service}.cluster.local`, answers },
      { service: other, qualified: `${other}.cluster.local`, answers: failed },
    ];
    const update = (text: string) => updateHosts(text, services);
    const file = { root, path: "/etc/hosts", settleMs: 0 };
    const result = await replaceHostsFile(file, update).catch((error: unknown) => {
      // The other writer was faster each time: no reason to stop.
      if (error instanceof Error && "reason" in error && error.reason === "changing") return "changing";
      throw error;
    });
    if (result === "replaced") written++;
  }
}

void main();
