import { X509Certificate } from "node:crypto";
import { describe, expect, it } from "vitest";
import { issue, type Issued } from "../../../../src/agent/webhook/certificates/issue";
import { bundle, rotate, type CertificateState } from "../../../../src/agent/webhook/certificates/rotation";

const dnsNames = ["cluster-dns-webhook.kube-system.svc"];
const start = new Date("2026-01-01T00:00:00Z");
const later = (minutes: number) => new Date(start.getTime() + minutes * 60_000);
const day = 24 * 60;

async function at(state: CertificateState, now: Date, nextIsPublished = false): Promise<CertificateState> {
  return rotate(state, { now, dnsNames, nextIsPublished, issue });
}

it("issue makes a server certificate from an authority that cannot sign further authorities", async () => {
  const { authority, certificate } = await issue(dnsNames, start);
  const [ca, server] = [new X509Certificate(authority), new X509Certificate(certificate)];
  expect(server.verify(ca.publicKey)).toBe(true);
  expect(server.checkIssued(ca)).toBe(true);
  expect([ca.ca, server.ca]).toEqual([true, false]);
  expect(server.subjectAltName).toBe("DNS:cluster-dns-webhook.kube-system.svc");
  expect(new Date(server.validTo)).toEqual(later(30 * day));
  expect(new Date(server.validFrom)).toEqual(later(-60));
});

describe("rotate", () => {
  it("issues a certificate immediately and keeps it for twenty days", async () => {
    const state = await at({}, start);
    expect(state.current).toBeDefined();
    expect(await at(state, later(20 * day - 1))).toBe(state);
  });

  it("publishes the next authority before its certificate is used, and the old one while it may be used", async () => {
    const first = await at({}, start);
    const staged = await at(first, later(20 * day + 1));
    expect(staged.current).toEqual(first.current);
    expect(staged.next).toBeDefined();
    const both = bundle(staged, later(20 * day + 1));
    for (const one of [first.current, staged.next]) expect(both).toContain((one as Issued).authority);

    const settled = later(20 * day + 12);
    expect(await at(staged, settled, false)).toBe(staged);
    expect(await at(staged, later(20 * day + 5), true)).toBe(staged);
    const promoted = await at(staged, settled, true);
    expect(promoted).toEqual({ current: staged.next, previousAuthority: first.current?.authority });
    expect(bundle(promoted, settled)).toContain(first.current?.authority);
    expect(bundle(promoted, later(31 * day))).toBe(staged.next?.authority);
  });

  it.each([
    ["after its expiry", (one: Issued) => one, later(31 * day)],
    ["before its validity", (one: Issued) => one, later(-61)],
    ["with another's key", async (one: Issued) => ({ ...one, key: (await issue(dnsNames, start)).key }), start],
    ["of another CA", async (one: Issued) => ({ ...one, authority: (await issue(dnsNames, start)).authority }), start],
    ["for another name", () => issue(["other.kube-system.svc"], start), start],
    ["that does not parse", (one: Issued) => ({ ...one, certificate: "x" }), start],
  ])("immediately replaces a certificate %s", async (_name, damage, now) => {
    const state = { current: await damage(await issue(dnsNames, start)) };
    const replaced = await at(state, now);
    expect(replaced.current?.certificate).not.toBe(state.current.certificate);
    expect(await at(replaced, now)).toBe(replaced);
  });

  it("switches to the next certificate once the current one has expired", async () => {
    const staged = { current: await issue(dnsNames, start), next: await issue(dnsNames, later(21 * day)) };
    expect(await at(staged, later(35 * day))).toEqual({ current: staged.next });
  });
});
