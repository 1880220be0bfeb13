import { expect, test } from "vitest";
import type { AgentConfig } from "../../../src/model/agent-config/agent-config";
import { checkAgentConfig } from "../../../src/model/agent-config/check";
import { clusterOf } from "../../../src/model/cluster/cluster";
import { formatPath } from "../../../src/model/syntax/problem";
import { modeTable, propsOf } from "../query-path/mode-table";

function configOf(props: Parameters<typeof clusterOf>[0]): AgentConfig | undefined {
  return clusterOf(props).components.watchdog?.config;
}

const good = configOf({ clusterDNS: ["10.96.0.10"], kubeProxyMode: "iptables", agentImage: "agent:1" });

test.each(modeTable.filter(({ ours }) => ours))(
  "what the constructs write for $kubeProxyMode, $interception, $clusterDNS is taken as it is",
  (row) => {
    const written: unknown = JSON.parse(JSON.stringify(configOf(propsOf(row))));
    expect(checkAgentConfig(written)).toEqual({ config: configOf(propsOf(row)) });
  },
);

test.each<readonly [string, object, string, RegExp]>([
  ["a newer version", { version: 2 }, "version", /2 is not one of 1/],
  ["an unknown key", { healthzone: "x" }, "healthzone", /unknown key; did you mean healthZone/],
  ["a missing key", { healthZone: undefined }, "healthZone", /is missing|missing/],
  ["a word that nobody knows", { interception: "magic" }, "interception", /not one of service-ip, link-local/],
  ["a port out of range", { metrics: { port: 70_000 } }, "metrics.port", /too large; at most 65535/],
  ["a threshold that is missing", { thresholds: {} }, "thresholds.probeInterval", /is required and missing/],
  [
    "a threshold that is text",
    { thresholds: { ...good?.thresholds, failures: "3" } },
    "thresholds.failures",
    /a string/,
  ],
])("%s is refused", (_what, change, path, message) => {
  const { problems = [] } = checkAgentConfig({ ...good, ...change });
  expect(problems.map((problem) => formatPath(problem.path))).toContain(path);
  expect(problems.find((problem) => formatPath(problem.path) === path)?.message).toMatch(message);
});

test.each([undefined, null, [], "config"])("%j is no configuration", (value) => {
  expect(checkAgentConfig(value).problems).toHaveLength(1);
});
