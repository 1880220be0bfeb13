import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { marker, removeOwnLines, updateHosts } from "../../../src/model/node-resolver/hosts-lines";
import type { FamilyAnswer, ServiceAnswer } from "../../../src/model/node-resolver/hosts-lines";

const registry = "image-registry.openshift-image-registry.svc";

function answer(IPv4: FamilyAnswer, IPv6: FamilyAnswer = [], service = registry): ServiceAnswer {
  return { service, qualified: `${service}.cluster.local`, answers: { IPv4, IPv6 } };
}

function line(address: string, service = registry): string {
  return `${address} ${service} ${service}.cluster.local ${marker}\n`;
}

const localhost = "127.0.0.1 localhost\n::1 localhost\n";

describe("our lines", () => {
  it("are added at the end, IPv4 first, in the order of the addresses", () => {
    expect(updateHosts(localhost, [answer(["10.0.0.9", "10.0.0.5"], ["fd00:0::5"])])).toBe(
      localhost + line("10.0.0.5") + line("10.0.0.9") + line("fd00::5"),
    );
  });

  it("are added before OpenShift's, which may be older: the first line of a name counts", () => {
    const theirs = `172.30.1.1 ${registry} ${registry}.cluster.local # openshift-generated-node-resolver\n`;
    expect(updateHosts(localhost + theirs, [answer(["10.0.0.5"])])).toBe(localhost + line("10.0.0.5") + theirs);
  });

  it("change in place, whatever follows them", () => {
    const before = `a\n${line("10.0.0.5")}b\n`;
    expect(updateHosts(before, [answer(["10.0.0.6"])])).toBe(`a\n${line("10.0.0.6")}b\n`);
    expect(updateHosts(before, [answer(["10.0.0.5"])])).toBe(before);
  });

  it("are gathered where the first of them is, without duplicates", () => {
    const scattered = `${line("10.0.0.5")}a\n${line("10.0.0.5")}b\n${line("10.0.0.6")}`;
    expect(updateHosts(scattered, [answer(["10.0.0.6", "10.0.0.5", "10.0.0.5"])])).toBe(
      `${line("10.0.0.5")}${line("10.0.0.6")}a\nb\n`,
    );
  });

  it("of a service that is no longer listed go, but only once another resolves", () => {
    const before = localhost + line("10.0.0.5", "old.ns.svc") + line("10.0.0.6");
    expect(updateHosts(before, [answer("failed", "failed")])).toBe(before);
    expect(updateHosts(before, [answer(["10.0.0.6"])])).toBe(localhost + line("10.0.0.6"));
  });
});

describe("what did not resolve stays", () => {
  const both = localhost + line("10.0.0.5") + line("fd00::5") + line("10.0.0.7", "other.ns.svc");

  it.each<[what: string, answers: ServiceAnswer[]]>([
    ["nothing resolves", [answer("failed", "failed"), answer("failed", "failed", "other.ns.svc")]],
    ["DNS says of every name that it does not exist", [answer("NXDOMAIN", "NXDOMAIN"), answer([], [], "other.ns.svc")]],
    ["one family fails and the other has no record", [answer("failed", []), answer([], "failed", "other.ns.svc")]],
    ["no service is asked for", []],
  ])("%s: the file is the same", (_what, answers) => expect(updateHosts(both, answers)).toBe(both));

  it.each<[what: string, own: ServiceAnswer, other: FamilyAnswer, lines: string[], ofOther: string]>([
    ["a service: the other's are new", answer("failed", "failed"), ["10.0.0.8"], ["10.0.0.5", "fd00::5"], "10.0.0.8"],
    ["a family that fails", answer(["10.0.0.9"], "failed"), "failed", ["10.0.0.9", "fd00::5"], "10.0.0.7"],
    ["a family said not to be", answer(["10.0.0.9"], "NXDOMAIN"), "failed", ["10.0.0.9", "fd00::5"], "10.0.0.7"],
    ["but no family without record next to one with", answer(["10.0.0.5"], []), ["10.0.0.7"], ["10.0.0.5"], "10.0.0.7"],
  ])("%s", (_what, own, other, lines, ofOther) => {
    const updated = updateHosts(both, [own, answer(other, other === "failed" ? other : [], "other.ns.svc")]);
    expect(updated).toBe(localhost + lines.map((each) => line(each)).join("") + line(ofOther, "other.ns.svc"));
  });
});

describe("foreign lines", () => {
  it.each<[what: string, text: string]>([
    ["no final newline", "127.0.0.1 localhost\n10.1.1.1 last"],
    ["CRLF and no final newline", "127.0.0.1 localhost\r\n10.1.1.1 a"],
    ["the marker in a comment", `# lines with ${marker}\n${marker}\n10.0.0.1 a b c ${marker}\n`],
    ["our line, edited", `#10.0.0.5 a.b.svc a.b.svc.x ${marker}\n10.0.0.5 a.b.svc a.b.svc.x ${marker} !\n`],
    ["our line, cut", `10.0.0.5 a.b.svc ${marker}\n`],
    ["another's node-resolver", `10.0.0.5 ${registry} ${registry}.cluster.local # openshift-generated-node-resolver\n`],
    ["10,000 lines", Array.from({ length: 10_000 }, (_, i) => `10.${i >> 8}.${i & 255}.1 host-${i}\n`).join("")],
  ])("%s: kept byte for byte, also once ours are removed", (_what, text) => {
    const updated = updateHosts(text, [answer(["10.0.0.5"])]);
    expect(updated).toHaveLength(text.length + line("10.0.0.5").length);
    expect(updated).toContain(line("10.0.0.5"));
    expect(removeOwnLines(updated)).toBe(text);
  });

  it("ours are recognised after a tool converted line ends", () => {
    const crlf = (localhost + line("10.0.0.5")).replaceAll("\n", "\r\n");
    expect(updateHosts(crlf, [answer(["10.0.0.5"])])).toBe(crlf);
    expect(removeOwnLines(crlf)).toBe(localhost.replaceAll("\n", "\r\n"));
    expect(updateHosts((localhost + line("10.0.0.5")).trimEnd(), [answer(["10.0.0.6"])])).toBe(
      localhost + line("10.0.0.6"),
    );
  });
});

describe("properties", () => {
  const address = fc.constantFrom("10.0.0.1", "10.0.0.2", "10.0.0.3");
  const address6 = fc.constantFrom("fd00::1", "fd00:0::2");
  const services = fc.uniqueArray(fc.constantFrom("a.ns.svc", "b.ns.svc", "c.ns.svc"), { minLength: 1 });
  const family = (one: fc.Arbitrary<string>): fc.Arbitrary<FamilyAnswer> =>
    fc.oneof(fc.array(one, { maxLength: 3 }), fc.constantFrom("failed" as const, "NXDOMAIN" as const));
  const answers = services.chain((names) =>
    fc.tuple(...names.map((name) => fc.tuple(family(address), family(address6)).map(([a, b]) => answer(a, b, name)))),
  );
  const byte = fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code));
  const foreign = fc
    .array(fc.oneof({ weight: 3, arbitrary: byte }, { weight: 1, arbitrary: fc.constant("\n") }))
    .map((bytes) => bytes.join(""));
  // A file with lines of ours between other lines.
  const hosts = fc
    .array(
      fc.oneof(
        foreign.map((text) => `${text}\n`),
        fc.tuple(address, fc.constantFrom("a.ns.svc", "z.ns.svc")).map(([a, s]) => line(a, s)),
      ),
      { maxLength: 6 },
    )
    .chain((parts) => foreign.map((last) => parts.join("") + last));

  const always = (see: (text: string, all: ServiceAnswer[]) => void) => fc.assert(fc.property(hosts, answers, see));

  it("foreign bytes stay the same", () =>
    always((text, all) => {
      expect(removeOwnLines(updateHosts(text, all))).toBe(removeOwnLines(text));
    }));

  it("a second update changes nothing", () =>
    always((text, all) => {
      const once = updateHosts(text, all);
      expect(updateHosts(once, all)).toBe(once);
    }));

  it("the order of addresses in an answer does not matter", () =>
    always((text, all) => {
      const turned = (of: FamilyAnswer) => (typeof of === "string" ? of : of.toReversed());
      const reversed = all.map(({ answers: { IPv4, IPv6 }, service }) => answer(turned(IPv4), turned(IPv6), service));
      expect(updateHosts(text, reversed)).toBe(updateHosts(text, all));
    }));

  it("two writers with different answers settle on the same file, in either order", () =>
    always((text, all) => {
      // The other one's lookup of the last service fails.
      const lessKnown = all.map((one, i) => (i === all.length - 1 ? answer("failed", "failed", one.service) : one));
      const better = updateHosts(updateHosts(text, lessKnown), all);
      expect(updateHosts(better, lessKnown)).toBe(better);
    }));
});
