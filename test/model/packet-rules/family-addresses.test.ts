import { expect, it } from "vitest";
import { familyAddresses } from "../../../src/model/packet-rules/family-addresses";
import type { RuleInput } from "../../../src/model/packet-rules/rule-input";
import { ruleInput } from "./rows";

const [linkLocal, probe, past, service] = ["169.254.20.10", "169.254.20.11", "169.254.20.12", "10.96.0.10"];
const link = [linkLocal, probe, past];
const both = [linkLocal, service];

interface Expected {
  readonly listens: readonly string[];
  readonly onLink: readonly string[];
  readonly masqueraded: readonly string[];
}

const ipvs = { interception: "link-local", kubeProxyMode: "ipvs" } as const;

// What rules are about, from which all of them follow.
it.each<[what: string, input: Partial<RuleInput>, expected: Expected]>([
  ["service-ip", {}, { listens: both, onLink: [...link, service], masqueraded: both }],
  ["service-ip without a cache", { cache: false }, { listens: [], onLink: link, masqueraded: both }],
  ["link-local", { interception: "link-local" }, { listens: [linkLocal], onLink: link, masqueraded: both }],
  ["ipvs", ipvs, { listens: [linkLocal], onLink: link, masqueraded: [linkLocal] }],
])("%s", (_what, input, { listens, ...expected }) => {
  const [ofIPv4] = familyAddresses(ruleInput(input));
  const on = (addresses: readonly string[]) =>
    addresses.flatMap((address) => ["udp", "tcp"].map((protocol) => ({ address, protocol })));
  expect(ofIPv4).toMatchObject({ ...expected, listeners: on(listens), repliers: on([linkLocal, service]) });
});

it("each link-local address has a service IP of its family, or there are no rules", () => {
  expect(() => familyAddresses(ruleInput({ linkLocalIPs: ["fd00:169:254:20::10"] }))).toThrow(
    /fd00:169:254:20::10 has no service IP of its family among 10\.96\.0\.10/,
  );
});
