import { addressRange, familyOf } from "../syntax/addresses";
import { probeAddress } from "../packet-rules/probe-address";
import type { Problem } from "../syntax/problem";
import { defaultThresholds, type AgentConfig, type Thresholds } from "./agent-config";

export type CheckedAgentConfig =
  | { readonly config: AgentConfig; readonly problems?: undefined }
  | { readonly problems: readonly Problem[] };

/** A parsed ConfigMap as configuration, or everything that is wrong with it. */
export function checkAgentConfig(value: unknown): CheckedAgentConfig {
  const problems: Problem[] = [];
  const report = (path: Problem["path"], message: string, at: Problem["at"] = "value") =>
    problems.push({ path, at, message });
  checkObject(value, [], configFields, report);
  if (problems.length === 0) checkTogether(value as AgentConfig, report);
  return problems.length > 0 ? { problems } : { config: value as AgentConfig };
}

type Path = Problem["path"];
type Report = (path: Path, message: string, at?: Problem["at"]) => void;
type Check = (value: unknown, path: Path, report: Report) => void;
interface Field {
  readonly check: Check;
  readonly optional?: true;
}
type Fields = { readonly [key: string]: Field };

const name = pattern(/^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/, "a name of letters, digits, '-' and '.'");
const dnsName = pattern(/^([A-Za-z0-9_-]{1,63}\.)*[A-Za-z0-9_-]{1,63}\.?$/, "a DNS name");

const thresholdFields: Fields = Object.fromEntries(
  Object.keys(defaultThresholds).map((key) => [
    key,
    { check: key === "countShare" ? number(0, 1, false) : number(1, 86_400_000, true), optional: true },
  ]),
);

const configFields: Fields & { readonly [key in keyof AgentConfig]-?: Field } = {
  version: { check: oneOf([1]) },
  state: { check: oneOf(["enabled", "draining", "removed"]) },
  watchdog: { check: oneOf([true, false]) },
  interception: { check: oneOf(["service-ip", "link-local"]) },
  kubeProxyMode: { check: oneOf(["iptables", "nftables", "ipvs"]) },
  packetFilter: { check: oneOf(["nftables", "iptables"]) },
  serviceIPs: { check: listOf(address, 1) },
  linkLocalIPs: { check: listOf(address, 1) },
  markBit: { check: markBit },
  // IFNAMSIZ: 15 bytes and the end.
  linkName: {
    check: pattern(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$/, "a link name of at most 15 letters, digits, '-', '_' and '.'"),
  },
  clusterDNSService: {
    check: object({
      namespace: { check: name },
      name: { check: name },
      udpPort: { check: name },
      tcpPort: { check: name },
    }),
  },
  healthZone: { check: dnsName },
  clusterZone: { check: object({ name: { check: dnsName }, servers: { check: listOf(server, 1) } }) },
  metrics: { check: object({ port: { check: number(1, 65_535, true) }, address: { check: address, optional: true } }) },
  thresholds: { check: object(thresholdFields), optional: true },
};

// What can only be judged once every field is what it should be.
function checkTogether(config: AgentConfig, report: Report): void {
  const { interception, kubeProxyMode, packetFilter, serviceIPs, linkLocalIPs } = config;
  if (interception === "service-ip" && kubeProxyMode === "ipvs") {
    report(["interception"], "service-ip cannot work with kubeProxyMode ipvs, whose rules come first; set link-local");
  }
  if (interception === "link-local" && kubeProxyMode === "nftables" && packetFilter === "iptables") {
    report(
      ["packetFilter"],
      "iptables has no way to a Service of kube-proxy in nftables mode; set nftables, or interception service-ip",
    );
  }
  for (const [key, addresses] of [
    ["serviceIPs", serviceIPs],
    ["linkLocalIPs", linkLocalIPs],
  ] as const) {
    const families = addresses.map(familyOf);
    if (new Set(families).size < families.length)
      report([key], `${addresses.join(", ")}: got two of one family, at most one of each is accepted`);
  }
  linkLocalIPs.forEach((linkLocal, i) => {
    if (!serviceIPs.some((serviceIP) => familyOf(serviceIP) === familyOf(linkLocal))) {
      report(
        ["linkLocalIPs", i],
        `${linkLocal} has no service IP of its family beside it; add one to serviceIPs or leave this out`,
      );
    }
    if (serviceIPs.includes(linkLocal) || serviceIPs.includes(probeAddress(linkLocal))) {
      report(["linkLocalIPs", i], `${linkLocal} and the address after it, which probes use, must not be service IPs`);
    }
  });
  checkThresholds({ ...defaultThresholds, ...config.thresholds }, report);
}

function checkThresholds(thresholds: Thresholds, report: Report): void {
  const notAbove = (lower: keyof Thresholds, upper: keyof Thresholds) => {
    if (thresholds[lower] > thresholds[upper]) {
      report(
        ["thresholds", lower],
        `${thresholds[lower]} is more than ${upper} (${thresholds[upper]}); it must not be`,
      );
    }
  };
  notAbove("probeLate", "probeTimeout");
  notAbove("fastInterval", "probeInterval");
  notAbove("recoverAfter", "recoverMax");
  notAbove("countRetry", "countRetryMax");
  // One refresh may fail without the host's processes changing over.
  if (thresholds.hostTimeout < 2 * thresholds.countInterval) {
    report(
      ["thresholds", "hostTimeout"],
      `${thresholds.hostTimeout} is less than two countIntervals (${thresholds.countInterval}), between which it is refreshed`,
    );
  }
}

function checkObject(value: unknown, path: Path, fields: Fields, report: Report): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    report(path, `got ${show(value)}, accepted is an object with ${Object.keys(fields).join(", ")}`);
    return;
  }
  for (const key of Object.keys(value)) {
    if (!Object.hasOwn(fields, key))
      report([...path, key], `unknown key; accepted are ${Object.keys(fields).join(", ")}`, "key");
  }
  for (const [key, field] of Object.entries(fields)) {
    const entry: unknown = (value as { [key: string]: unknown })[key];
    if (entry !== undefined) field.check(entry, [...path, key], report);
    else if (!field.optional) report([...path, key], "is missing");
  }
}

function object(fields: Fields): Check {
  return (value, path, report) => checkObject(value, path, fields, report);
}

function oneOf(accepted: readonly (string | number | boolean)[]): Check {
  return (value, path, report) => {
    if (!accepted.some((one) => one === value))
      report(path, `got ${show(value)}, accepted: ${accepted.map(show).join(", ")}`);
  };
}

function pattern(expression: RegExp, what: string): Check {
  return (value, path, report) => {
    if (typeof value !== "string" || !expression.test(value)) report(path, `got ${show(value)}, accepted is ${what}`);
  };
}

function number(least: number, most: number, whole: boolean): Check {
  return (value, path, report) => {
    const good = typeof value === "number" && value >= least && value <= most && (!whole || Number.isInteger(value));
    if (!good)
      report(path, `got ${show(value)}, accepted is a ${whole ? "whole " : ""}number from ${least} to ${most}`);
  };
}

function listOf(check: Check, least: number): Check {
  return (value, path, report) => {
    if (!Array.isArray(value) || value.length < least)
      report(path, `got ${show(value)}, accepted is a list of at least ${least}`);
    else value.forEach((entry: unknown, i) => check(entry, [...path, i], report));
  };
}

function address(value: unknown, path: Path, report: Report): void {
  if (typeof value !== "string" || familyOf(value) === undefined)
    report(path, `got ${show(value)}, accepted is an IP address`);
  else if (["loopback", "multicast", "unspecified", "broadcast"].includes(addressRange(value))) {
    report(path, `got ${value}, which is a ${addressRange(value)} address; accepted is a unicast address`);
  }
}

function server(value: unknown, path: Path, report: Report): void {
  if (typeof value === "string" && value.startsWith("$")) {
    if (!/^\$[A-Z][A-Z0-9_]*$/.test(value))
      report(path, `got ${show(value)}, accepted is an environment variable as $NAME`);
  } else address(value, path, report);
}

function markBit(value: unknown, path: Path, report: Report): void {
  const good =
    typeof value === "number" &&
    Number.isInteger(value) &&
    value > 0 &&
    value <= 2 ** 31 &&
    Number.isInteger(Math.log2(value));
  if (!good) report(path, `got ${show(value)}, accepted is a number with one bit set, 1 to 2147483648`);
}

function show(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value);
}
