import { expect, it } from "vitest";
import { localIPs } from "../../../src/model/running/core-dns";

it.each<[what: string, container: { readonly command?: string[]; readonly args?: string[] }, addresses: string[]]>([
  ["two words", { args: ["-localip", "169.254.20.10,10.96.0.10"] }, ["169.254.20.10", "10.96.0.10"]],
  ["one word", { args: ["--localip=169.254.20.10"] }, ["169.254.20.10"]],
  ["the command", { command: ["/node-cache", "-localip", "169.254.20.10"] }, ["169.254.20.10"]],
  ["a flag twice, of which Go takes the last", { args: ["-localip", "169.254.1.1", "-localip=fd00::a"] }, ["fd00::a"]],
  ["nothing", { args: ["-conf", "/etc/Corefile"] }, []],
])("addresses of a node-cache are read from %s", (_, container, addresses) => {
  expect(localIPs({ containers: [{ name: "node-cache", ...container }] })).toEqual(addresses);
});
