import { beforeAll, expect, it } from "vitest";
import { load } from "../../../../rig/load/load";
import { firstAnswerMs, lostOnceAnswered, type LoadReport } from "../../../../rig/load/report";
import { sleep, until } from "../../../../rig/until";
import { expectNothingLost } from "../../../expect-lost";
import { bootOf, hasProxyRules, inOrder, secondsSince } from "../../lib/boot";
import { underLoad, type Row, type UnderLoad } from "./under-load";
import { askedNames } from "../../lib/usual";
import { forgetServicesOnRouter } from "../../lib/node-faults";
import { ledToCache, onNode, readyDnsAddresses } from "../../lib/programs";

const [clusterName = "", outsideName = ""] = askedNames;

/**
 * From the rules that lead to an answer until its arrival. A query that the cache began before them fails after up to
 * two seconds more, between two attempts of TCP; the cache keeps its SERVFAIL for five; and all is seen with a delay.
 */
const soonSeconds = 8;

/** The node of the client loses power and boots, while a pod of the other node, which has the cluster DNS, asks. */
export function reboots(row: Pick<Row, "kubeProxyMode" | "interception">): void {
  const nodePlacement = { nodeSelector: { "kubernetes.io/hostname": "node-2" } };
  const r = underLoad({ ...row, authoritativeDNS: { nodePlacement } });

  beforeAll(() => forgetServicesOnRouter(r.cluster()));

  it("another node loses nothing, and its own pods get answers within seconds of its rules", async () => {
    await begin(r);
    const report = await r.during(
      "a reboot, asked from another node",
      async () => {
        await r.node().powerOff();
        // A machine takes longer to boot than this.
        const unreachable = ["wait", "--for=condition=Ready=Unknown", `node/${r.node().name}`, "--timeout=300s"];
        await r.cluster().kubectl.run(unreachable);
        const on = Date.now();
        await r.node().powerOn();
        await expectAnswersAgain(r, `${row.interception}, a reboot, since power on`, on);
      },
      "neighbour",
    );
    expectNothingLost(report);
  });

  it("before kube-proxy runs, the node's cache answers for names outside of the cluster, and no others", async () => {
    await begin(r);
    await r.node().powerOff();
    const on = Date.now();
    await r.node().powerOn({ withProxy: false });
    let proxyAt = Infinity;
    const outside = askFromItsStart(r, outsideName, async () => {
      await settled(r);
      proxyAt = Date.now();
      r.node().startProxy();
      await sleep(10_000);
    });
    const [inside, boot] = await Promise.all([
      askFromItsStart(r, clusterName, () => outside.then(() => undefined)),
      bootOf(r.node(), on),
    ]);
    const answered = { [outsideName]: firstAnswer(await outside, on), [clusterName]: firstAnswer(inside, on) };
    const started = { "kube-proxy started": (proxyAt - on) / 1000 };
    console.log(`${row.interception}, kube-proxy later: ${inOrder({ ...boot, ...answered, ...started })}`);
    r.tell(`kube-proxy later, ${outsideName} from the pod's start on`, await outside);
    r.tell(`kube-proxy later, ${clusterName} from the pod's start on`, inside);
    expect(lostOnceAnswered(await outside)).toBe(0);
    expect(answered[outsideName]).toBeLessThan(started["kube-proxy started"]);
    expect(answered[clusterName]).toBeGreaterThan(started["kube-proxy started"]);
    expect(answered[clusterName]).toBeLessThan(boot["kube-proxy's rules"] + soonSeconds);
  });

  it("without an API server it starts no pod, and serves again once there is one", async () => {
    await begin(r);
    const { controlPlane } = r.cluster();
    const report = await r.during(
      "a reboot without an API server, asked from another node",
      async () => {
        await r.node().powerOff();
        await controlPlane.stopApi();
        await r.node().powerOn();
        await sleep(20_000);
        expect(r.node().hasPods).toBe(false);
        expect(await onNode(r.node())).toEqual([]);
        // What asks the node's own resolvers, as its processes do, needs none of it.
        expect(await r.node().exec(["getent", "ahostsv4", outsideName])).toContain("192.0.2.1");
        const api = Date.now();
        await controlPlane.startApiAgain();
        await expectAnswersAgain(r, `${row.interception}, a reboot without an API server, since its start`, api);
      },
      "neighbour",
    );
    expectNothingLost(report);
  });
}

async function begin(r: UnderLoad): Promise<void> {
  await r.begin();
  for (const node of r.cluster().nodes) await ledToCache(node);
}

/** From the start of the client's container, names are answered once the rules are there, and then always. */
async function expectAnswersAgain(r: UnderLoad, what: string, since: number): Promise<void> {
  const served = async () => {
    await until("kube-proxy's rules", 150, () => hasProxyRules(r.node()), 200);
    await settled(r);
  };
  const asked = Promise.all([
    bootOf(r.node(), since),
    askFromItsStart(r, clusterName, served),
    askFromItsStart(r, outsideName, served),
  ]);
  const endpoints = await readySince(r, since, asked);
  const [boot, inside, outside] = await asked;
  const started = { "a pod asks": (inside.startedAt - since) / 1000, "the cluster DNS is ready": endpoints };
  const answered = { [clusterName]: firstAnswer(inside, since), [outsideName]: firstAnswer(outside, since) };
  console.log(`${what}: ${inOrder({ ...boot, ...started, ...answered })}`);
  r.tell(`${what}, ${clusterName} from the pod's start on`, inside);
  r.tell(`${what}, ${outsideName} from the pod's start on`, outside);
  const rules = Math.max(boot["kube-proxy's rules"], boot["the agent's rules"], started["a pod asks"], endpoints);
  expect(answered[clusterName]).toBeLessThan(rules + soonSeconds);
  expect(answered[outsideName]).toBeLessThan(Math.min(rules, boot["all listeners in use"]) + soonSeconds);
  expect([lostOnceAnswered(inside), lostOnceAnswered(outside)]).toEqual([0, 0]);
}

/** The client's queries from the start of its container until something has happened. */
async function askFromItsStart(r: UnderLoad, name: string, meanwhile: () => Promise<void>): Promise<LoadReport> {
  const client = await until("the API server's pod", 60, () => r.cluster().pod("client"));
  await until("the client's container", 150, async () => r.node().podPid(client.uid), 100);
  return load(client, { server: r.server, names: [name], rate: 250 }, meanwhile);
}

async function settled(r: UnderLoad): Promise<void> {
  await ledToCache(r.node());
  await until("endpoints of the cluster DNS", 90, () => isReady(r), 500);
  await sleep(soonSeconds * 1000);
}

/** Since how many seconds after a moment Service `kube-dns` has had an endpoint, as seen while something runs. */
async function readySince(r: UnderLoad, moment: number, running: Promise<unknown>): Promise<number> {
  let runs = true;
  const ends = () => (runs = false);
  running.then(ends, ends);
  let ready: number | undefined;
  while (runs) {
    const isNow = await isReady(r).catch(() => ready !== undefined); // the API server may be busy
    ready = isNow ? (ready ?? secondsSince(moment)) : undefined;
    await sleep(500);
  }
  return ready ?? Infinity;
}

async function isReady(r: UnderLoad): Promise<boolean> {
  return (await readyDnsAddresses(r.cluster())).length > 0;
}

/** In seconds after a moment. */
function firstAnswer(report: LoadReport, since: number): number {
  return Math.round((report.startedAt + firstAnswerMs(report) - since) / 100) / 10;
}
