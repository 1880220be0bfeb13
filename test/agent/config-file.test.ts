import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readConfig } from "../../src/agent/config-file";
import validateWebhookConfig from "../../src/model/admission/webhook/validate";
import validateAgentConfig from "../../src/model/agent-config/validate";
import { clusterOf } from "../../src/model/cluster/cluster";
import type { ClusterDnsProps } from "../../src/model/props/cluster-dns";
import { everything } from "./webhook/reviews";
import { modeTable, propsOf } from "../model/query-path/mode-table";
import { temporaryFolder } from "../temporary-folder";

const folder = temporaryFolder("config-file");
const file = join(folder, "config.json");

function read(config: unknown, validate = validateAgentConfig): unknown {
  writeFileSync(file, typeof config === "string" ? config : JSON.stringify(config));
  return readConfig(file, validate);
}

function configOf(props: ClusterDnsProps) {
  return clusterOf(props).components.watchdog?.config;
}

const good = configOf({ clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables", agentImage: "agent:1" });

test.each(modeTable.filter(({ linkMadeBy }) => linkMadeBy === "agent"))(
  "accepts unchanged what the constructs write for $kubeProxyMode, $interception, $clusterDNS",
  (row) => expect(read(configOf(propsOf(row)))).toEqual(configOf(propsOf(row))),
);

test.each<readonly [string, object | string, RegExp]>([
  ["an empty file", "null", /the file: is empty/],
  ["what is not JSON", "{", /is not JSON/],
  ["a newer version", { version: 2 }, /version: 2 is not one of 1/],
  ["a missing key", { healthZone: undefined }, /healthZone: is required but missing/],
  ["a missing threshold", { thresholds: {} }, /thresholds\.probeIntervalMs: is required but missing/],
  ["a threshold that is text", { thresholds: { ...good?.thresholds, failures: "3" } }, /failures: "3" is a string/],
])("refuses %s", (_what, change, message) => {
  expect(() => read(typeof change === "string" ? change : { ...good, ...change })).toThrow(message);
});

test("says where to mount a file that does not exist", () => {
  expect(() => readConfig(join(folder, "none.json"), validateAgentConfig)).toThrow(/cannot be read \(ENOENT\); mount/);
});

describe("the webhook's", () => {
  const config = { version: 1, port: 1, probePort: 2, certificates: { kind: "files", folder: "/" }, ...everything };

  test("is accepted unchanged", () => expect(read(config, validateWebhookConfig)).toEqual(config));

  test("is refused with a list of everything wrong with it", () => {
    const wrong = { ...config, port: "443", certificates: { kind: "none" } };
    expect(() => read(wrong, validateWebhookConfig)).toThrow(/port: "443" is a string[^]*certificates/);
  });
});
