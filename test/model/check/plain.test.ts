import { Chart, Lazy, Testing } from "cdk8s";
import { describe, expect, it } from "vitest";
import { ClusterDns, type ClusterDnsProps, dnsEgress, resolve } from "../../../src";
import { formatPath } from "../../../src/model/syntax/problem";
import { agentImage, base } from "./problems";

const ok = { ...base, agentImage };

const lazy: unknown = Lazy.any({ produce: () => "10.96.0.10" });
const own: Record<string, unknown> = {};
own["labels"] = own;
const inherited: unknown = Object.create({ kind: "Existing" });
const hidden: unknown = Object.defineProperty({}, "kind", { value: "Existing" });

class Inherited {
  get kind() {
    return "Existing";
  }
}
class Private {
  readonly #team = "dns";
  get team() {
    return this.#team;
  }
}
class Fields {
  readonly team = "dns";
}
class Written extends Fields {
  toJSON() {}
}
class Answers {
  readonly replicas = 3;
  kind() {}
}

/** Each problem's path and the beginning of its message. */
function refusals(props: unknown): string[] {
  const { problems = [] } = resolve(props);
  return problems.map(({ path, message }) => `${formatPath(path)}: ${message.replace(/[;:] .*/, "")}`);
}

const [notLazy, cycle] = ["is a Lazy value, but props are read at once", "contains itself"];
const isA = (kind: string) => `is ${kind}, whose entries would not be read`;
const isWithout = (keys: string) => `would be read without ${keys}`;

describe("what is no plain value is refused where it is", () => {
  it.each<[what: string, props: unknown, problems: string[]]>([
    ["a Lazy", { ...ok, kubeProxyMode: lazy }, [`kubeProxyMode: ${notLazy}`]],
    ["a Lazy that is all of a list", { ...ok, clusterDNS: lazy }, [`clusterDNS: ${notLazy}`]],
    ["a Lazy in a list", { ...ok, clusterDNS: [lazy] }, [`clusterDNS[0]: ${notLazy}`]],
    ["a Lazy in a mapping", { ...ok, labels: { team: lazy } }, [`labels.team: ${notLazy}`]],
    ["a Lazy that is all", lazy, [`: ${notLazy}`]],
    ["a cycle", { ...ok, labels: own }, [`labels.labels: ${cycle}`]],
    ["a Map", { ...ok, stubDomains: new Map([["a.example", ["192.0.2.1"]]]) }, [`stubDomains: ${isA("a Map")}`]],
    ["a Map that is all", new Map(Object.entries(ok)), [`: ${isA("a Map")}`]],
    ["a Set", { ...ok, labels: new Set(["a"]) }, [`labels: ${isA("a Set")}`]],
    // A forgotten `await` is the usual way to this.
    ["a Promise", { ...ok, labels: Promise.resolve({}) }, [`labels: ${isA("a Promise")}`]],
    ["a Date", { ...ok, annotations: new Date(0) }, [`annotations: ${isA("a Date")}`]],
    ["an Error", { ...ok, annotations: new Error("a") }, [`annotations: ${isA("an Error")}`]],
    ["a Boolean", { ...ok, resilience: Object(false) as unknown }, [`resilience: ${isA("a Boolean")}`]],
    ["a getter of a class", { ...ok, authoritativeDNS: new Inherited() }, [`authoritativeDNS: ${isWithout("kind")}`]],
    ["a private field", { ...ok, labels: new Private() }, [`labels: ${isWithout("team")}`]],
    ["a method", { ...ok, authoritativeDNS: new Answers() }, [`authoritativeDNS: ${isWithout("kind")}`]],
    ["toJSON of a class", { ...ok, labels: new Written() }, [`labels: ${isWithout("toJSON")}`]],
    ["what is inherited", { ...ok, authoritativeDNS: inherited }, [`authoritativeDNS: ${isWithout("kind")}`]],
    ["what is not enumerable", { ...ok, authoritativeDNS: hidden }, [`authoritativeDNS: ${isWithout("kind")}`]],
    ["all that is inherited", Object.create(ok), [`: ${isWithout("clusterDNS, kubeProxyMode, agentImage")}`]],
    [
      "two, beside what is wrong otherwise",
      { ...base, clusterDNS: [lazy], kubeProxyMode: "ipv", labels: new Set() },
      [`clusterDNS[0]: ${notLazy}`, `labels: ${isA("a Set")}`, expect.stringMatching(/^kubeProxyMode: "ipv" is not/)],
    ],
  ])("%s", (_, props, problems) => expect(refusals(props)).toEqual(problems));

  it("by resolve, dnsEgress and the constructs", () => {
    const labels = new Map() as object as ClusterDnsProps["labels"];
    const props = { ...ok, labels } as ClusterDnsProps;
    const message = "labels: is a Map, whose entries would not be read; accepted: a plain object or list";
    expect(() => dnsEgress(props)).toThrow(new Error(message));
    expect(() => new ClusterDns(new Chart(Testing.app(), "test"), "dns", props)).toThrow(
      new Error(`test/dns ${message}`),
    );
  });
});

it.each<[what: string, props: unknown]>([
  ["fields of a class", { ...ok, labels: new Fields() }],
  ["no prototype", Object.assign(Object.create(null) as object, ok)],
  ["what is frozen", Object.freeze(ok)],
  ["a Proxy", new Proxy(ok, {})],
  ["an own getter", Object.defineProperty({ ...base }, "agentImage", { get: () => agentImage, enumerable: true })],
  ["a compiled module", Object.defineProperty({ ...ok }, "__esModule", { value: true })],
  ["a list of a class", { ...ok, clusterDNS: new (class extends Array<string> {})("10.96.0.10") }],
])("accepts %s", (_, props) => expect(refusals(props)).toEqual([]));

it("reads each value once", () => {
  let reads = 0;
  const props = {
    ...ok,
    get clusterDNS() {
      return reads++ === 0 ? ok.clusterDNS : undefined;
    },
  };
  expect(resolve(props).cluster?.said.clusterDNS).toEqual(ok.clusterDNS);
});
