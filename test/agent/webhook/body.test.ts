import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { readBody } from "../../../src/agent/webhook/body";

it("reads a long body piece by piece, with a turn of the event loop between two", async () => {
  const piece = Buffer.alloc(100 * 1024);
  const headers = { "content-type": "application/json", "content-length": String(3 * piece.length) };
  const head = { httpVersion: "1.1", method: "POST", headers };
  const request = Object.assign(new Readable({ read: () => undefined }), head) as IncomingMessage;
  const seen: number[] = [];
  const reading = readBody(
    request,
    1024 * 1024,
    (bytes) => seen.push(bytes),
    () => undefined,
  );
  for (const each of [piece, piece, piece, null]) request.push(each);
  const pieces: number[] = [];
  for (let turns = 0; turns < 3; turns++) {
    await turn();
    pieces.push(seen.length);
  }
  expect(pieces).toEqual([1, 2, 3]);
  expect((await reading).body.length).toBe(3 * piece.length);
});
