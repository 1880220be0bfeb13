import { expect, it } from "vitest";
import { until } from "../../rig/until";

it("gives what its probe does, once that is something", async () => {
  const answers = [undefined, false, new Error("not yet"), 0];
  const probe = async () => {
    const next = answers.shift();
    if (next instanceof Error) throw next;
    return next;
  };
  expect(await until<number | boolean>("a number", 5, probe, 1)).toBe(0);
});

it("says when it gives up: for what it waited how long, the last failure, the load, the end of the log", async () => {
  const refused = async () => {
    throw new Error("connection refused");
  };
  const log = () => Array.from({ length: 50 }, (_, line) => `line ${line}\n`).join("");
  const error = await until("the API server", 0.05, refused, 10, log).catch((caught: Error) => caught.message);
  expect(error).toMatch(
    /^waited [\d.]+ s for the API server; last failure: connection refused; load [\d.]+ [\d.]+ [\d.]+ on \d+ processors; its log ends with:\nline 20\n[^]*line 49$/,
  );
});

it("says that there is no log where what it waited for never wrote one", async () => {
  const missing = () => {
    throw new Error("ENOENT");
  };
  await expect(until("it", 0, async () => false, 1, missing)).rejects.toThrow("; it has no log: ENOENT");
});
