import { expect, test } from "vitest";
import { formatNotes, noNotes, parseNotes, withConfig } from "../../../src/model/packet-rules/link-notes";

test("what node-setup writes is what the watchdog reads", () => {
  for (const notes of [noNotes, { configs: ["0123456789", "abcdef0123"], leftovers: true }])
    expect(parseNotes(formatNotes(notes))).toEqual(notes);
});

test("the alias of somebody else says nothing", () => {
  for (const alias of ["", "uplink to rack 3", "node-local-dnsx configs="]) expect(parseNotes(alias)).toBeUndefined();
});

test("many configurations still fit, the latest first and each once", () => {
  const hashes = Array.from({ length: 40 }, (_, i) => i.toString(16).padStart(10, "0"));
  const notes = [...hashes, hashes[38] ?? ""].reduce(withConfig, { configs: [], leftovers: true });
  expect(notes.configs.slice(0, 3)).toEqual([hashes[38], hashes[39], hashes[37]]);
  expect(formatNotes(notes).length).toBeLessThan(256);
});
