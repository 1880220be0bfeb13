import { expect, test } from "vitest";
import { formatNotes, noNotes, parseNotes, withConfig } from "../../../src/model/packet-rules/link-notes";

test("what node-setup writes is what the watchdog reads", () => {
  for (const notes of [
    noNotes,
    { configs: ["0123456789", "abcdef0123"], leftovers: true, nameservers: [] },
    { configs: [], leftovers: false, nameservers: ["none"] },
    { configs: ["0123456789"], leftovers: true, nameservers: ["10.96.0.10", "fe80::1%eth0", "127.0.0.53"] },
  ])
    expect(parseNotes(formatNotes(notes))).toEqual(notes);
});

test("the alias of somebody else says nothing", () => {
  for (const alias of ["", "uplink to rack 3", "node-local-dnsx configs="]) expect(parseNotes(alias)).toBeUndefined();
});

test("many configurations still fit, the latest first and each once", () => {
  const hashes = Array.from({ length: 40 }, (_, i) => i.toString(16).padStart(10, "0"));
  const notes = [...hashes, hashes[38] ?? ""].reduce(withConfig, noNotes);
  expect(notes.configs.slice(0, 3)).toEqual([hashes[38], hashes[39], hashes[37]]);
  const long = Array.from({ length: 3 }, (_, i) => `fd00:1111:2222:3333:4444:5555:6666:777${i}`);
  const read = parseNotes(formatNotes({ ...notes, leftovers: true, nameservers: long }));
  expect(read).toEqual({ configs: notes.configs.slice(0, read?.configs.length), leftovers: true, nameservers: long });
  expect(read?.configs.length).toBeGreaterThan(5);
  expect(formatNotes({ ...notes, leftovers: true, nameservers: long }).length).toBeLessThan(256);
});
