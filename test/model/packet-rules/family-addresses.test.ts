import { expect, it } from "vitest";
import { familyAddresses } from "../../../src/model/packet-rules/family-addresses";
import type { RuleInput } from "../../../src/model/packet-rules/rule-input";
import { ruleInput } from "./rows";

const [linkLocal, probe, past, service] = ["169.254.20.10", "169.254.20.11", "169.254.20.12", "10.96.0.10"];

// What rules are about, from which all of them follow.
it.each<
  [what: string, input: Partial<RuleInput>, expected: { listens: string[]; onLink: string[]; masqueraded: string[] }]
>([
  [
    "service-ip",
    {},
    { listens: [linkLocal, service], onLink: [linkLocal, probe, past, service], masqueraded: [linkLocal, service] },
  ],
  [
    "service-ip without a cache",
    { cache: false },
    { listens: [], onLink: [linkLocal, probe, past], masqueraded: [linkLocal, service] },
  ],
  [
    "link-local",
    { interception: "link-local" },
    { listens: [linkLocal], onLink: [linkLocal, probe, past], masqueraded: [linkLocal, service] },
  ],
  [
    "ipvs",
    { interception: "link-local", kubeProxyMode: "ipvs" },
    { listens: [linkLocal], onLink: [linkLocal, probe, past], masqueraded: [linkLocal] },
  ],
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
