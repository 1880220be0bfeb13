import { pino } from "pino";
import { expect, it } from "vitest";
import { Reporting } from "../../../src/agent/watchdog/reporting";
import { off, on } from "./events";

it("has a counter for each change before it happens: Prometheus sees no increase in one that begins with 1", async () => {
  const reporting = new Reporting(pino({ enabled: false }));
  const counters = async () =>
    new Map([...(await reporting.text()).matchAll(/^(\S+_flips_total\{.*\}) (\d+)$/gm)].map(([, key, n]) => [key, n]));

  reporting.started(on);
  const before = await counters();
  expect(new Set(before.values())).toEqual(new Set(["0"]));
  reporting.changed(on, off);
  reporting.changed(off, on);
  const after = await counters();
  expect([...after.keys()]).toEqual([...before.keys()]);
  expect([...after.values()].filter((value) => value !== "0")).toEqual(["1", "1", "1", "1"]);
});

it("says the share of the last answers past the cache, by server: one endpoint of two may be out of reach", async () => {
  const reporting = new Reporting(pino({ enabled: false }));
  const share = async () => /_cluster_dns_answered\{server="10\.96\.0\.10"\} (\S+)/.exec(await reporting.text())?.[1];
  for (let i = 0; i < 20; i++) reporting.askedPastCache("10.96.0.10", i % 2 === 0);
  reporting.askedPastCache("fd00:96::a", true);
  expect(await share()).toBe("0.5");
  for (let i = 0; i < 8; i++) reporting.askedPastCache("10.96.0.10", true);
  expect(await share()).toBe("1");
});
