import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pino from "pino";
import { expect, it } from "vitest";
import { writeOutsideServers } from "../../../src/agent/node-setup/outside-servers";
import { temporaryFolder } from "../../temporary-folder";
import { cached, componentOf } from "../../cached";

const folder = temporaryFolder("outside-servers");

const { nodeSetup } = componentOf("nodeLocalDns", { ...cached, resolvConf: "/etc/node.conf" });

it("leaves the cluster's own DNS out of what the cache asks, and logs the file and what it names", () => {
  const [from, to] = [join(folder, "from"), join(folder, "to")];
  writeFileSync(from, "search corp.example\nnameserver 10.96.0.10\nnameserver\t192.0.2.1\noptions ndots:1\n");
  const lines: object[] = [];
  const log = pino({ base: null }, { write: (line) => void lines.push(JSON.parse(line) as object) });
  const config = nodeSetup?.config;
  if (!config) throw new Error("no configuration");
  expect(writeOutsideServers({ from, to }, config, log)).toEqual(["10.96.0.10"]);
  expect(readFileSync(to, "utf8")).toBe("nameserver 192.0.2.1\n");
  expect(lines).toMatchObject([{ level: 40, file: "/etc/node.conf", unusable: ["10.96.0.10"], asked: ["192.0.2.1"] }]);
});
