import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { agentProgram } from "../../../rig/kernel/agent";
import { sleep, until } from "../../../rig/until";
import { marker } from "../../../src/model/node-resolver/hosts-lines";
import { eventually } from "../../eventually";
import { DnsServer, type Reply } from "../../../rig/dns-server";
import { temporaryFolder } from "../../temporary-folder";

const registry = "image-registry.openshift-image-registry.svc";
const localhost = "127.0.0.1 localhost\n";
const SERVFAIL = { rcode: 2 };

function line(address: string, service = registry): string {
  return `${address} ${service} ${service}.cluster.local ${marker}\n`;
}

const folder = temporaryFolder("node-resolver");
const program = agentProgram();
const hosts = join(folder, "etc/hosts");
const dropped = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"];
const canDrop = () => spawnSync("setpriv", [...dropped.slice(1), "true"]).status === 0;
const withoutCapabilities = process.getuid?.() !== 0 ? [] : canDrop() ? dropped : undefined;
const started: ChildProcess[] = [];
let dns: DnsServer;
/** The server's answer to each question: `A image-registry...`. */
let records: { [question: string]: Reply };

beforeAll(async () => {
  mkdirSync(join(folder, "etc"));
  dns = await new DnsServer(({ type, name }) => records[`${type} ${name.replace(".cluster.local", "")}`] ?? []).start();
});
afterAll(() => dns.stop());
beforeEach(() => {
  writeFileSync(hosts, localhost);
  records = { [`A ${registry}`]: ["172.30.1.1"] };
});
afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode === null && child.kill("SIGKILL")) await once(child, "exit");
  }
});

describe("agent node-resolver", () => {
  it("does not load what issues the webhook's certificates, which takes 2 MB", () => {
    expect(readFileSync(program, "utf8")).not.toContain("node_modules/asn1js");
  });

  it("writes what DNS returns, is ready, counts, follows changes, and leaves the lines in place when it stops", async () => {
    const agent = start();
    await expectHosts(localhost + line("172.30.1.1"));
    await so("it is ready", async () => (await agent.get("/readyz")) === "ok\n");
    const metrics = await agent.get("/metrics");
    expect(metrics).toContain(`node_resolver_addresses{service="${registry}",family="IPv4"} 1\n`);
    expect(metrics).toContain(`node_resolver_addresses{service="${registry}",family="IPv6"} 0\n`);
    expect(metrics).toContain("node_resolver_hosts_file_replacements_total 1\n");
    expect(metrics).toMatch(/^node_resolver_last_resolved_timestamp_seconds\{service="image-registry\.\S+"\} \d{10}/m);
    records = { [`A ${registry}`]: ["172.30.1.2"], [`AAAA ${registry}`]: ["fd00::2"] };
    await expectHosts(localhost + line("172.30.1.2") + line("fd00::2"));
    agent.child.kill("SIGTERM");
    expect(await once(agent.child, "exit")).toEqual([0, null]);
    expect(hostsNow()).toBe(localhost + line("172.30.1.2") + line("fd00::2"));
    expect(readdirSync(join(folder, "etc"))).toEqual(["hosts"]);
  });

  it("leaves the file alone while nothing changes and while DNS is down", async () => {
    const agent = start();
    await expectHosts(localhost + line("172.30.1.1"));
    const before = statSync(hosts, { bigint: true });
    await rounds(2);
    records = { [`A ${registry}`]: SERVFAIL, [`AAAA ${registry}`]: SERVFAIL };
    await rounds(2);
    records = {};
    await rounds(2);
    const after = statSync(hosts, { bigint: true });
    expect([after.ino, after.mtimeNs, after.ctimeNs]).toEqual([before.ino, before.mtimeNs, before.ctimeNs]);
    await so("a line of the log", () => agent.log().some(({ msg }) => msg.includes("answered SERVFAIL")));
    expect(agent.log().filter(({ msg }) => msg.startsWith("no service resolves"))).toHaveLength(1);
  });

  it("keeps running, and reports it, while the hosts file cannot be replaced", async () => {
    rmSync(hosts);
    mkdirSync(hosts);
    const agent = start();
    await so("a line of the log", () => agent.log().some(({ msg }) => msg.includes("/etc/hosts is not a file")));
    expect(await agent.get("/metrics")).toMatch(/^node_resolver_hosts_file_failures_total\{reason="not-a-file"\} \d+/m);
    expect(await agent.get("/metrics")).toMatch(/^node_resolver_hosts_file_replaceable 0$/m);
    expect(await agent.get("/healthz")).toBe("ok\n");
    rmSync(hosts, { recursive: true });
    writeFileSync(hosts, localhost);
    await expectHosts(localhost + line("172.30.1.1"));
    const isCounted = async () => (await agent.get("/metrics")).includes("\nnode_resolver_hosts_file_replaceable 1\n");
    await so("a metric", isCounted);
  });

  it("reports everything wrong with its arguments, and exits", () => {
    const given = ["node-resolver", "--service=registry", "--interval=0", "--metrics-port=-1"];
    const { status, stdout } = spawnSync(process.execPath, [program, ...given], { encoding: "utf8" });
    expect(status).toBe(1);
    for (const option of ["service registry:", "cluster-domain is", "server is", "interval 0:", "metrics-port -1:"])
      expect(stdout).toContain(`--${option}`);
  });

  // As the container runs: root, but without any capability. (Other users have none anyway.)
  it.skipIf(withoutCapabilities === undefined)("needs no capability (for root: setpriv)", async () => {
    chmodSync(hosts, 0o600);
    const agent = start(withoutCapabilities);
    await expectHosts(localhost + line("172.30.1.1"));
    expect(readFileSync(`/proc/${agent.child.pid}/status`, "utf8")).toMatch(/^CapEff:\t0+$/m);
    expect(statSync(hosts).mode & 0o777).toBe(0o600);
  });
});

describe("agent cleanup --hosts-file", () => {
  const args = [program, "cleanup", "--hosts-file", "/etc/hosts", "--host-root", folder];
  const cleanup = () => spawnSync(process.execPath, [...args, "--once"], { encoding: "utf8" });

  it("removes our lines, and no other byte", () => {
    writeFileSync(hosts, `${localhost}${line("172.30.1.1")}10.0.0.1 last`);
    expect(cleanup()).toMatchObject({ status: 0, stdout: expect.stringContaining("lines removed from /etc/hosts") });
    expect(hostsNow()).toBe(`${localhost}10.0.0.1 last`);
    expect(cleanup()).toMatchObject({ status: 0, stdout: expect.stringContaining("no line of ours") });
  });

  it("fails if it cannot", () => {
    rmSync(hosts);
    expect(cleanup()).toMatchObject({ status: 1, stdout: expect.stringContaining("/etc/hosts: does not exist") });
  });

  it("keeps running, as a DaemonSet's pod must, until told to stop", async () => {
    writeFileSync(hosts, localhost + line("172.30.1.1"));
    const child = spawn(process.execPath, args);
    started.push(child);
    await expectHosts(localhost);
    await sleep(100);
    expect(child.exitCode).toBeNull();
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
  });
});

interface LogLine {
  readonly level: number;
  readonly msg: string;
  readonly http?: { readonly port: number };
}

function start(prefix: readonly string[] = []) {
  const options = `--service ${registry} --cluster-domain cluster.local --server 127.0.0.1:${dns.port} --interval 0.2`;
  const ports = `--metrics-address 127.0.0.1 --metrics-port 0 --health-port 0 --host-root ${folder}`;
  const given = `node-resolver ${options} ${ports}`.split(" ");
  const [command = "", ...rest] = [...prefix, process.execPath, program, ...given];
  const child = spawn(command, rest);
  started.push(child);
  let output = "";
  child.stdout.on("data", (data: Buffer) => (output += data.toString()));
  child.stderr.on("data", (data: Buffer) => (output += JSON.stringify({ level: 60, msg: data.toString() })));
  const log = () => (output.match(/.+(?=\n)/g) ?? []).map((text) => JSON.parse(text) as LogLine);
  const get = async (path: string) => {
    const port = log().find(({ http }) => http)?.http?.port;
    return (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  };
  return { child, log, get };
}

function hostsNow(): string {
  return readFileSync(hosts, "latin1");
}

function expectHosts(text: string): Promise<void> {
  return eventually("the hosts file", 10, hostsNow, text, 20);
}

/** Until every process has sent this many more queries. */
async function rounds(count: number): Promise<void> {
  const before = dns.asked.length;
  const questions = started.length * 2;
  await so("queries", () => dns.asked.length >= before + (count + 1) * questions);
}

function so(what: string, condition: () => boolean | Promise<boolean>): Promise<boolean> {
  return until(what, 10, async () => condition(), 20);
}
