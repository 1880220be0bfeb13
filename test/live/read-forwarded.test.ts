import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Pages } from "../../src/live/pages";
import { readForwarded } from "../../src/live/read-forwarded";
import type { Answer } from "../../src/live/kubectl-proxy";
import type { Page } from "../../src/model/running/cluster-state";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const counter = "coredns_proxy_healthcheck_failures_total";
const pageOf = (name: string): Page => ({
  kind: "metrics",
  node: "node-1",
  name,
  container: "",
  what: name,
  path: `/${name}`,
});
const text = (value: number): Answer => ({ text: `# HELP x\n${counter}{to="a"} ${value}\ngo_threads 7\n` });
const failure = { failure: "no route to host" };

it.each<[what: string, answers: readonly Answer[], growth: readonly number[] | undefined]>([
  ["a counter that grows", [text(3), text(5)], [2]],
  ["one that stays", [text(3), text(3)], [0]],
  ["one that begins", [{ text: "go_threads 7\n" }, text(5)], [5]],
  ["that of a pod that started again", [text(3), { text: `${counter}{to="a"} 1\n${counter}{to="b"} 5\n` }], []],
  ["none of a pod that cannot be asked", [failure], undefined],
  ["none of a pod that ended", [text(3), failure], undefined],
])("%s", async (_, answers, growth) => {
  const left = [...answers];
  const read = readForwarded(
    new Pages((path) => Promise.resolve(path === "/a" ? (left.shift() ?? failure) : text(1))),
    ["a", "b"].map(pageOf),
  );
  await vi.runAllTimersAsync();
  const all = await read;
  expect(all.get("a")?.map(({ value }) => value)).toEqual(growth);
  expect(all.get("b")?.map(({ value }) => value)).toEqual([0]);
});

it("nobody waits where nobody can be asked", async () => {
  const pages = new Pages(() => Promise.resolve(failure));
  expect(await readForwarded(pages, [pageOf("a")])).toEqual(new Map());
  expect(pages.unread).toMatchObject([{ what: "a", why: failure.failure }]);
  expect(vi.getTimerCount()).toBe(0);
});
