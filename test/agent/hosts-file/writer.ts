// One of two writers: `writer ROOT MILLISECONDS SERVICE`. Keeps rewriting a Service's lines with new addresses.
import { replaceHostsFile } from "../../../src/agent/hosts-file/replace";
import { updateHosts } from "../../../src/model/node-resolver/hosts-lines";

const [root = "", milliseconds = "", service = ""] = process.argv.slice(2);

async function main(): Promise<void> {
  const end = Date.now() + Number(milliseconds);
  let written = 0;
  for (let i = 0; Date.now() < end; i++) {
    const answers = { IPv4: [`10.0.${(i >> 8) & 255}.${i & 255}`, "10.9.9.9"], IPv6: ["fd00::1"] };
    const other = service === "a.ns.svc" ? "b.ns.svc" : "a.ns.svc";
    const failed = {
      service: other,
      qualified: `${other}.cluster.local`,
      answers: { IPv4: "failed", IPv6: "failed" },
    } as const;
    const services = [{ service, qualified: `${service}.cluster.local`, answers }, failed];
    const result = await replaceHostsFile({ root, path: "/etc/hosts", settleMs: 0 }, (text) =>
      updateHosts(text, services),
    ).catch((error: unknown) => {
      // The other writer was faster each time: no reason to stop.
      if (error instanceof Error && "reason" in error && error.reason === "changing") return "changing";
      throw error;
    });
    if (result === "replaced") written++;
  }
  process.stdout.write(String(written));
}

void main();
