import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { progress } from "../../src/cli/progress";

const real = { fstatSync: fs.fstatSync, writeSync: fs.writeSync };
const isTTY = Object.getOwnPropertyDescriptor(process.stderr, "isTTY");
let printed = "";

beforeEach(() => {
  printed = "";
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
  replace(real);
  if (isTTY) Object.defineProperty(process.stderr, "isTTY", isTTY);
  else Reflect.deleteProperty(process.stderr, "isTTY");
});

it("moves the terminal's cursor, as one line that is written over", () => {
  standardErrorIs({ isTerminal: true });
  rendering(3, 700);
  expect(printed).toBe("\rrendering 1 of 3\x1b[K\rrendering 2 of 3\x1b[K\rrendering 3 of 3\x1b[K\r\x1b[K");
});

it.each([
  ["to a file or a pipe", { isTerminal: false }, 700],
  ["within half a second", { isTerminal: true }, 100],
])("prints nothing %s", (_, standardError, milliseconds) => {
  standardErrorIs(standardError);
  rendering(3, milliseconds);
  expect(printed).toBe("");
});

function rendering(count: number, milliseconds: number): void {
  const { show, clear } = progress("rendering");
  for (let done = 1; done <= count; done++) {
    vi.advanceTimersByTime(milliseconds);
    show(done, count);
  }
  clear();
}

function standardErrorIs({ isTerminal }: { readonly isTerminal: boolean }): void {
  Object.defineProperty(process.stderr, "isTTY", { value: isTerminal, configurable: true });
  replace({
    fstatSync: (() => ({ isCharacterDevice: () => isTerminal })) as unknown as typeof fs.fstatSync,
    writeSync: ((_: number, data: Buffer) => {
      printed += data.toString();
      return data.length;
    }) as typeof fs.writeSync,
  });
}

/** Also for those who import them by name. */
function replace(functions: Pick<typeof fs, "fstatSync" | "writeSync">): void {
  Object.assign(fs, functions);
  syncBuiltinESMExports();
}
