import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { configHash, healthPort } from "../../../src/model/corefile/hash";

it("the hash of a configuration can be part of a name", () => expect(configHash("a")).toBe("ca978112ca"));

describe("the health port", () => {
  it("is below NodePorts (30000) and ephemeral ports (32768), above everything that nodes use", () => {
    const isBetween = fc.property(fc.string(), (text) => Math.floor(healthPort(configHash(text)) / 10_000) === 2);
    fc.assert(isBetween);
  });

  // On a common port the old pod answers the new pod's probe (SO_REUSEPORT).
  it("rarely is the same for two configurations", () => {
    const ports = Array.from({ length: 100 }, (_, i) => healthPort(configHash(`configuration ${i}`)));
    expect(new Set(ports).size).toBeGreaterThan(95);
  });
});
