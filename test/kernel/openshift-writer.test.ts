import { spawn, type ChildProcess } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { agentProgram } from "../../rig/kernel/agent";
import { missingForKernelTests, stop } from "../../rig/kernel/namespace";
import { sleep } from "../../rig/until";
import { marker } from "../../src/model/node-resolver/hosts-lines";
import { DnsServer } from "../../rig/dns-server";
import { eventually } from "../eventually";

const service = "image-registry.openshift-image-registry.svc";
const localhost = "127.0.0.1 localhost\n";

/** Does to a hosts file what OpenShift's script does. */
const likeOpenShifts = `
while true; do
  address=$(dig -t A @$NAMESERVER +short $SERVICES.$CLUSTER_DOMAIN)
  if [ -n "$address" ]; then
    grep -v "# openshift-generated-node-resolver" /etc/hosts > /tmp/hosts
    echo "$address $SERVICES $SERVICES.$CLUSTER_DOMAIN # openshift-generated-node-resolver" >> /tmp/hosts
    cmp -s /tmp/hosts /etc/hosts || cp /tmp/hosts /etc/hosts
  fi
  sleep 60
done
`;
const own = process.env["CLUSTER_DNS_OPENSHIFT_WRITER"];
const writers: readonly (readonly [name: string, script: string])[] = [
  ["a script like OpenShift's", likeOpenShifts],
  ...(own === undefined ? [] : ([["OpenShift's own script", readFileSync(own, "utf8")]] as const)),
];

describe.skipIf(missingForKernelTests() !== undefined).each(writers)("beside %s", (_name, script) => {
  const folder = mkdtempSync("/var/tmp/openshift-writer-");
  const hosts = join(folder, "etc/hosts");
  const started: ChildProcess[] = [];
  let dns: DnsServer;
  let address: string;

  beforeAll(async () => {
    for (const each of ["etc", "bin", "tmp"]) mkdirSync(join(folder, each));
    writeFileSync(join(folder, "writer.sh"), script);
    copyFileSync(agentProgram(), join(folder, "agent.js"));
    dns = await new DnsServer(({ type }) => (type === "A" ? [address] : [])).start();
    // It asks port 53, and rests for a minute.
    for (const [name, instead] of [
      ["dig", `exec /usr/bin/dig -p ${dns.port} "$@"`],
      ["sleep", "exec /usr/bin/sleep 0.1"],
    ] as const) {
      writeFileSync(join(folder, "bin", name), `#!/bin/sh\n${instead}\n`);
      chmodSync(join(folder, "bin", name), 0o755);
    }
  });
  beforeEach(() => {
    address = "172.30.1.1";
    writeFileSync(hosts, localhost);
  });
  afterEach(async () => {
    for (const child of started.splice(0)) await stop(child, "SIGKILL");
  });
  afterAll(() => {
    dns.stop();
    rmSync(folder, { recursive: true });
  });

  it("ours has the address that counts, also while theirs writes into the file that ours replaced", async () => {
    const theirs = openShifts();
    await expectHosts(localhost + theirLine("172.30.1.1"));
    ours();
    await expectHosts(localhost + ourLine("172.30.1.1") + theirLine("172.30.1.1"));
    address = "172.30.1.2";
    await expectHosts(localhost + ourLine("172.30.1.2") + theirLine("172.30.1.1"));
    await stop(theirs, "SIGKILL");
    openShifts();
    await expectHosts(localhost + ourLine("172.30.1.2") + theirLine("172.30.1.2"));
    const rests = async () => {
      const { ino, mtimeMs } = statSync(hosts);
      await sleep(1000);
      return { before: { ino, mtimeMs }, after: statSync(hosts) };
    };
    // One of them may have begun before the other was done.
    await eventually("a second in which nobody writes", 30, rests, ({ before, after }) =>
      expect(after).toMatchObject(before),
    );
    await expectHosts(localhost + ourLine("172.30.1.2") + theirLine("172.30.1.2"));
  });

  /** As its pod has it: the file mounted alone, and a folder for temporary files. */
  function openShifts(): ChildProcess {
    const mounts = `mount --bind ${folder}/tmp /tmp && mount --bind ${hosts} /etc/hosts`;
    const child = spawn("unshare", ["--mount", "sh", "-c", `${mounts} && exec bash ${folder}/writer.sh`], {
      stdio: "ignore",
      env: {
        PATH: `${folder}/bin:${process.env["PATH"]}`,
        SERVICES: service,
        CLUSTER_DOMAIN: "cluster.local",
        NAMESERVER: "127.0.0.1",
      },
    });
    started.push(child);
    return child;
  }

  function ours(): void {
    const asked = ["--service", service, "--cluster-domain", "cluster.local", "--server", `127.0.0.1:${dns.port}`];
    const ports = ["--metrics-address", "127.0.0.1", "--metrics-port", "0", "--health-port", "0"];
    const args = ["node-resolver", ...asked, ...ports, "--interval", "0.2", "--host-root", folder];
    started.push(spawn(process.execPath, [join(folder, "agent.js"), ...args], { stdio: "ignore" }));
  }

  async function expectHosts(text: string): Promise<void> {
    await eventually("the hosts file", 30, () => readFileSync(hosts, "utf8"), text);
  }
});

function ourLine(address: string): string {
  return `${address} ${service} ${service}.cluster.local ${marker}\n`;
}

function theirLine(address: string): string {
  return `${address} ${service} ${service}.cluster.local # openshift-generated-node-resolver\n`;
}
