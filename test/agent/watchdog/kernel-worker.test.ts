import { setTimeout as sleep } from "node:timers/promises";
import pino from "pino";
import { expect, test } from "vitest";
import { inTurn } from "../../../src/agent/kernel/in-turn";
import { KernelWorker } from "../../../src/agent/watchdog/kernel-worker";
import { Reporting } from "../../../src/agent/watchdog/reporting";
import type { Work } from "../../../src/agent/watchdog/work";
import type { Switches } from "../../../src/model/packet-rules/listener";
import { listeners, off, on } from "./events";

// node-setup has the turn for as long as it writes; any process of the host may take it.
test.each<Work>(["link", "rules"])("a switch waits for nobody who writes: %s", async (waits) => {
  const log = pino({ level: "silent" });
  const turned: Switches[] = [];
  let state = on;
  const worker = new KernelWorker({
    rules: {
      // Nothing here is of the machine that runs the test.
      ruleSet: { packetFilter: "nftables", chains: [], listeners, link: { name: "no name for a link", addresses: [] } },
      filter: {
        switches: () => Promise.resolve(undefined),
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
    state: () => state,
    dispatch: () => undefined,
  });
  worker.request("rules");
  await worker.done();

  let end = () => {};
  const turn = inTurn(() => new Promise<void>((resolve) => (end = resolve)));
  await sleep(50);
  worker.request(waits);
  await sleep(50);
  state = off;
  worker.request("switches");
  await sleep(500);
  expect(turned).toEqual([{ pods: [], host: [] }]);
  // Put off is not tried.
  expect(worker.tried("link")).toBe(false);
  end();
  await turn;
  await worker.done();
});
