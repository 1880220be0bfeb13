import { expect, it } from "vitest";
import { agentImage, faultyKeys } from "./problems";

const [four, six] = [["10.96.0.10"], ["fd00:96::a"]];
const ofAAAA = ["{{ .Name }} 60 IN AAAA fd00::1"];
const filtered = { clusterDNS: four, filterAAAA: true };
const admission = { allowedUsers: ["argo"], podDNSConfig: { options: { "no-aaaa": true } } };

it.each<[where: string, props: object]>([
  ["", { clusterDNS: four, filterAAAA: true }],
  ["filterAAAA", { clusterDNS: six, filterAAAA: true }],
  ["filterAAAA", { clusterDNS: [...four, ...six], filterAAAA: true }],
  ["hostAliases[0].ip", { ...filtered, hostAliases: [{ ip: "fd00::1", hostnames: ["a.example"] }] }],
  ["hostAliases[0].ip", { ...filtered, hostAliases: [{ hostnames: ["a.example"] }] }],
  ["zones.a.example.records.b.AAAA", { ...filtered, zones: { "a.example": { records: { b: { AAAA: ["fd::1"] } } } } }],
  ["zones.a.example.templates[0]", { ...filtered, zones: { "a.example": { templates: [{ type: "AAAA" }] } } }],
  ["zones.a.example.templates[0]", { ...filtered, zones: { "a.example": { templates: [{ answer: ofAAAA }] } } }],
  ["", { clusterDNS: six, dns64: "64:ff9b::/96" }],
  ["dns64", { clusterDNS: four, dns64: "64:ff9b::/96" }],
  ["dns64", { clusterDNS: [...six, ...four], dns64: "64:ff9b::/96" }],
  ["", { clusterDNS: six, dns64: "64:ff9b::/96", "nodeLocalDNS.engine": "node-cache" }],
  ["", { clusterDNS: four, admission }],
  ["", { clusterDNS: [...six, ...four], admission }],
  ["admission.podDNSConfig.options.no-aaaa", { clusterDNS: six, admission }],
])("options of one family are refused in clusters of another: %j", (where, props) =>
  expect(faultyKeys({ agentImage, ...props })).toEqual(where === "" ? [] : [where]),
);
