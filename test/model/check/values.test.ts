import { expect, it } from "vitest";
import { faults } from "../../../src/model/check/values";

const noCollectors = ["10.1.1.1:6", "tcp://a:6", "atcp://10.1.1.1:6"];
const soa = "@ 60 IN SOA ns hostmaster 1 2 3 4 5\n";
/** As little DER as has a length. */
const certificateOf = (der: string) => `-----BEGIN CERTIFICATE-----\n${der}\n-----END CERTIFICATE-----\n`;
const certificate = certificateOf("MAMCAQU=");
const shortened = [certificateOf("MAMCAQ=="), `${certificate}${certificateOf("MIIBszCC")}`];
const inPath = ["a?b", "#a", "{a}", "$a", "a b"].map((path) => `https://h/${path}`);
const urls = ["https:///a", "https:// h", "https://{h", "https://h:99999/a", "https://[zz]/a"];
const key = "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n";

// Which keys have which type: values-of.test.ts.
it.each<[type: string, accepted: string[], refused: string[]]>([
  [
    "Registry",
    ["[fd00::1]:5000/k8s", "mirror.example:5000/k8s", "mirror"],
    ["https://mirror.example", "mirror.example/", "[fd00::1", "fd00::1", "a..b", "10.0.0.1:99999", "a:0", "a/a..b"],
  ],
  ["NamespaceName", ["a", "kube-system"], ["", "Flux", "a.b", "a b", "-a"]],
  ["ServiceLabel", ["kube-dns", "dns-tcp"], ["kube.dns", "dns_tcp"]],
  ["ObjectName", ["a", "a.b-c"], ["", "a b", "P"]],
  ["UserName", ["a", "oidc:Platform Team"], ["", " a", "a ", " "]],
  ["Revision", ["main", "v1.2"], ["", "a b", " a", "a "]],
  ["DNSName", ["corp.example", "Corp.Example.", "_sip._tcp.a"], ["", "a b", "a..b", "#"]],
  [
    "ServiceName",
    ["image-registry.openshift-image-registry.svc", "a.b.svc"],
    ["registry", "registry.ns", "registry.ns.svc.cluster.local", "R.ns.svc", "a.b.svc.", "a..svc", "10.0.0.1"],
  ],
  ["Address", ["10.96.0.10", "fd00:96::a"], ["", "10.96.0", "registry"]],
  ["CIDR", ["10.96.0.0/16", "fd00:96::/112"], ["10.96.0.0", "10.96.0.0/33", "a/8"]],
  ["Day", ["2026-12-24"], ["2026-12-32", "24.12.2026", ""]],
  ["ZoneName", [".", "corp.example"], ["", "a b"]],
  ["LowerCaseName", ["a", "corp.example", "corp.example."], [".", "EU", "fed_example", `${"a".repeat(64)}.b`, "a.."]],
  ["TopLevelDomain", ["com", "Com."], ["b.c", ""]],
  ["Collector", ["tcp://10.1.1.1:6", "tls://[fd00::1]:6"], ["tcp://10.1.1.1", "udp://10.1.1.1:6", ...noCollectors]],
  ["IPv4Address", ["10.1.2.3"], ["fd00::1", "a"]],
  ["IPv6Address", ["fd00::1"], ["10.1.2.3", "a"]],
  ["NAT64Prefix", ["64:ff9b::/96", "fd00::/32"], ["64:ff9b::", "64:ff9b::/97", "10.0.0.0/32"]],
  ["TextRecord", ["a", " ~", "a".repeat(4000)], ["", "a".repeat(4001), "a\n", "\na", "ä"]],
  ["MailExchanger", ["10 mail", "65535 mail.a.", "0 ."], ["mail", "10 0 mail", "65536 a", "1.5 a", "-1 a", "10 a..b"]],
  ["ServiceRecord", ["0 100 5060 sip", "0 0 0 ."], ["0 100 sip", "0 100 65536 sip", "0 0 0 0 sip", "a 0 0 sip"]],
  ["WholeName", ["a.example."], ["a.example", "a b."]],
  [
    "ZoneFile",
    [soa, soa.toLowerCase(), `${soa}a IN TXT "$INCLUDE"\n`, `${soa}a$INCLUDE IN A 10.1.1.1\n`],
    ["www A 10.1.1.1\n", "www A 10.1.1.1 ; SOA \n", `${soa}$INCLUDE other\n`, `${soa} \t$include other\n`],
  ],
  [
    "Certificates",
    [certificate, `${certificate}\n\n${certificate}`, certificateOf("MAQCAgEB"), certificateOf("MAICAA==")],
    // The last two lack their end.
    ["", "ca.pem", `a${certificate}`, `${certificate}a`, `${certificate}${key}`, ...shortened],
  ],
  ["LabelKey", ["team", "example.com/tenant"], ["", "a b", "a=b,c", "a/b/c"]],
  ["Release", ["1.17.3", "10.20.30"], ["", "1.17", "v1.17.3", "1.17.3-rc.1", "1.17.3.4"]],
  ["RepositoryFolder", ["dist", "a/..b"], ["", "/dist", "../dist", "a/.."]],
  [
    "APIServerURL",
    ["https://k8s.example:6443", "http://10.1.1.1", "https://k8s.example/a"],
    ["", "*", "foo bar", "https://*", "https://a:99999", "ftp://a", "a https://a", "https://a b", "https://u@h"],
  ],
  ["PageURL", ["https://h.example/runbooks", "http://h"], ["", "ftp://h", "a https://h", ...urls, ...inPath]],
])("a %s: %j, and not %j", (type, accepted, refused) => {
  const isAccepted = (value: string) => faults[type]?.({ path: [], value }) === undefined;
  expect(accepted.filter((value) => !isAccepted(value))).toEqual([]);
  expect(refused.filter(isAccepted)).toEqual([]);
});

const digest = `@sha256:${"0".repeat(64)}`;

it.each<[fault: string | undefined, images: string[]]>([
  [undefined, ["agent:1", `registry.example:5000/team/agent${digest}`, `agent:latest${digest}`]],
  [undefined, ["[fd00::1]:5000/name:tag", "[FD00::1]/a/b:1"]],
  ["names no version", ["registry.example/agent", "cpa"]],
  ["changes under the running pods", ["registry.example/agent:latest"]],
  ["is not an image", ["a/Agent:1", "https://a/agent:1", "agent@sha256:12", "", "[fd00:::1]/agent:1", "coredns:v1 "]],
])("fault of an image: %s: %j", (fault, images) => {
  expect(images.map((value) => faults["Image"]?.({ path: [], value })?.split(";")[0])).toEqual(images.map(() => fault));
});

it.each<[type: string, value: string, fault: string]>([
  ["Image", "a/b:1@sha256:DIGEST", "is not an image; accepted after @sha256: 64 hexadecimal digits, as the"],
  ["ZoneFile", "db.corp.example", "is the name of a file; accepted: the text in it"],
])("a %s, %s, %s", (type, value, fault) => {
  expect(faults[type]?.({ path: [], value })).toMatch(new RegExp(`^${fault}`));
});

const [range, noRange] = [{ formatMinimum: "100ms", formatMaximum: "10m" }, {}];

it.each<[fault: string | undefined, limits: object, durations: string[]]>([
  [undefined, range, ["100ms", "0.1s", "1m30.5s", "10m", "600s"]],
  ["out of range", range, ["99ms", "10m1ms"]],
  [undefined, noRange, ["1ms", "90h"]],
  ["not a duration", range, ["1 hour", "0s", "9999999h", "-1h", "one minute", "off", "50", ""]],
])("fault of a duration: %s, %j: %j", (fault, limits, durations) => {
  const faultsOf = durations.map((value) => faults["Duration"]?.({ path: [], value, ...limits }));
  expect(faultsOf.map((each) => each?.replace("is ", "").split(";")[0])).toEqual(durations.map(() => fault));
});

it.each([
  [range, "; accepted: 600ms, 30s, 1h30m ..., 100ms to 10m"],
  [{ ...range, orFalse: true }, "; accepted: 600ms, 30s, 1h30m ..., 100ms to 10m, or false"],
  [noRange, "; accepted: 600ms, 30s, 1h30m ..."],
])("what a duration may be, with %j", (limits, accepted) => {
  expect(faults["Duration"]?.({ path: [], value: "a", ...limits })).toBe(`is not a duration${accepted}`);
});
