import { expect, it } from "vitest";
import { agentImage, faultyKeys } from "./problems";

const endpoint = "tcp://10.1.2.3:6000";
const [corefile, ofCache] = ["authoritativeDNS.corefile", "nodeLocalDNS.corefile"];
const otherNames = `${corefile}.otherNames`;

it.each<[where: string, props: object]>([
  ["", { queryLog: {}, dnstap: { endpoint } }],
  ["", { queryLog: { zones: ["corp.example"], classes: ["error", "denial"], until: "2026-12-24" } }],
  ["queryLog.classes", { "queryLog.classes": ["error", "error"] }],
  ["queryLog.until", { "queryLog.until": "2026-02-30" }],
  ["dnstap.endpoint", { "dnstap.endpoint": "tcp://127.0.0.1:6000" }],
  ["dnstap", { dnstap: { endpoint }, "nodeLocalDNS.engine": "node-cache" }],
  // Two that say the same.
  [otherNames, { queryLog: {}, [otherNames]: "log" }],
  [`${ofCache}.clusterNames`, { queryLog: {}, [`${ofCache}.clusterNames`]: "log a.b" }],
  [`${ofCache}.otherNames`, { dnstap: { endpoint }, [`${ofCache}.otherNames`]: "dnstap tcp://10.1.1.1:1" }],
  [otherNames, { filterAAAA: true, [otherNames]: "template IN AAAA a.example" }],
  [otherNames, { clusterDNS: ["fd00:96::a"], dns64: "64:ff9b::/96", [otherNames]: "dns64 64:ff9b:1::/96" }],
  ["", { filterAAAA: true, [`${corefile}.clusterNames`]: "template IN AAAA a.cluster.local" }],
  ["", { filterAAAA: true, [otherNames]: "template IN MX a.example" }],
  ["", { queryLog: {}, [`${corefile}.blocks`]: "a.example {\n log\n forward . 10.1.1.1\n}" }],
])("who else learns of queries: what is refused at %s: %j", (where, props) =>
  expect(faultyKeys({ agentImage, ...props })).toEqual(where === "" ? [] : [where]),
);
