import pino from "pino";
import { expect, test, vi } from "vitest";
import { sleep } from "../../../rig/until";
import type * as InTurn from "../../../src/agent/kernel/in-turn";
import { inTurn, turnsFor } from "../../../src/agent/kernel/in-turn";
import { KernelWorker } from "../../../src/agent/watchdog/kernel-worker";
import { Reporting } from "../../../src/agent/watchdog/reporting";
import { wantedSwitches, type WatchdogState } from "../../../src/agent/watchdog/state";
import type { Work } from "../../../src/agent/watchdog/work";
import type { Switches } from "../../../src/model/packet-rules/listener";
import { eventually } from "../../eventually";
import { calm, listeners, off, on } from "./events";

// What this run writes is no other run's on the machine, nor that of a node.
vi.mock("../../../src/agent/kernel/in-turn", async (original) => {
  const actual = await original<typeof InTurn>();
  return { ...actual, inTurn: actual.turnsFor(`kernel-worker-${process.pid}`) };
});

function workerOf(state: () => WatchdogState, kernel?: Switches) {
  const log = pino({ level: "silent" });
  const turned: Switches[] = [];
  const worker = new KernelWorker({
    rules: {
      // Nothing here is of the machine that runs the test.
      ruleSet: { packetFilter: "nftables", chains: [], listeners, link: { name: "no name for a link", addresses: [] } },
      filter: {
        switches: () => Promise.resolve(kernel),
        switchesIfIntact: () => Promise.resolve(undefined),
        install: () => Promise.resolve(),
        turnSwitches: (_, to) => Promise.resolve(void turned.push(to)),
        counts: () => Promise.resolve([]),
      },
    },
    serviceIPs: [],
    keepWayPastCache: false,
    rulesInstalled: true,
    log,
    unusable: (nameserver) => ({ nameserver, file: "", fault: "" }),
    report: new Reporting(log),
    state,
    dispatch: () => undefined,
  });
  return { worker, turned };
}

// node-setup has the turn for as long as it writes; any process of the host may take it.
test.each<Work>(["link", "rules"])("a switch waits for nobody who writes: %s", async (waits) => {
  let state = on;
  const { worker, turned } = workerOf(() => state);
  worker.request("rules");
  await worker.done();

  let end = () => {};
  let turn: Promise<void> | undefined;
  await new Promise<void>((begun) => {
    turn = inTurn(() => new Promise<void>((resolve) => void ((end = resolve), begun())));
  });
  worker.request(waits);
  await sleep(50);
  state = off;
  worker.request("switches");
  await eventually("the switch", 10, () => turned, [{ pods: [], host: [] }], 10);
  // Put off is not tried.
  expect(worker.tried("link")).toBe(false);
  end();
  await turn;
  await worker.done();
});

test.each([
  ["waits, if it does the same", "same", 1],
  ["does not wait, if it does something else", "other", 0],
])("while one has its turn, the next %s", async (_, next, waits) => {
  const isHurried = vi.fn<() => boolean>(() => true);
  const [one, another] = ["same", next].map((guarded) => turnsFor(`${guarded}-${process.pid}`));
  await one?.(() => another?.(() => Promise.resolve(), isHurried) ?? Promise.reject(new Error("no turns")));
  expect(isHurried).toHaveBeenCalledTimes(waits);
});

test.each<[string, WatchdogState, Switches]>([
  ["without", calm, { ...wantedSwitches(calm), host: [] }],
  ["with", on, wantedSwitches(calm)],
])("a node-setup has written switches %s those of the node's own processes", async (_, state, written) => {
  const { worker, turned } = workerOf(() => state, written);
  worker.request("rules");
  await worker.done();
  worker.linkChanged();
  await worker.done();
  expect(turned).toEqual([wantedSwitches(state)]);
});
