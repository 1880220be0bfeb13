import type { ServerKey, WrittenDirective } from "../corefile/corefile";
import { plugins } from "../corefile/plugin-table";
import { pluginRule, zonesSaid } from "../corefile/plugins";
import { zonesOf } from "../corefile/server-key";
import { defaults } from "../defaults";
import { outsideServers } from "../node-programs";
import { parseServer } from "../syntax/addresses";
import { inZone, reverseZones } from "../syntax/names";
import { lineOf } from "../corefile/line";
import { replacedAgain, rewriteRule, textOfRule } from "./rewrite-rules";

/** What one plugin says of the names of one zone: option and value, in CoreDNS's words and with its own defaults. */
type Said = readonly [option: string, value: string];

/** @param keys The keys of its server block, without which it has no zones of its own. */
type Reader = (directive: WrittenDirective, zone: string, keys: readonly ServerKey[]) => Said[];

/** What a directive says of a zone's names; nothing if they are not its own. */
export function saidOf(directive: WrittenDirective, zone: string, keys: readonly ServerKey[]): Said[] {
  return (readers.get(directive.name) ?? readWhole)(directive, zone, keys);
}

/** What has no options to tell apart. */
function readWhole(directive: WrittenDirective, zone: string): Said[] {
  const own = zonesSaid(directive);
  const isHere = own.length === 0 || own.some((each) => inZone(zone, each));
  return isHere ? [["", restOf(withoutSecret(directive))]] : [];
}

/** A directive on one line, without its name. */
function restOf(directive: WrittenDirective): string {
  return lineOf({ ...directive, name: "" }).trim();
}

function withoutSecret(directive: WrittenDirective): WrittenDirective {
  const secret = pluginRule(directive.name)?.secret;
  const options = directive.options.map((each) => (each.name === secret ? { ...each, args: ["..."] } : each));
  return { ...directive, options };
}

/** Whether a plugin says how CoreDNS runs, and not what a name's answer is. */
export function isOperation(plugin: string): boolean {
  return Object.hasOwn(plugins, plugin) && plugin !== "cache" && plugins[plugin]?.answersFrom === undefined;
}

const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  // The walk of a search path, which it cuts short, asks for no name of an address.
  ["autopath", (directive, zone) => (isBelowReverse(zone) ? [] : readWhole(directive, zone))],
  ["cache", readCache],
  ["file", readFile],
  ["forward", readForward],
  ["hosts", readHosts],
  ["kubernetes", readKubernetes],
  ["health", ({ args, options }) => [["lameduck", optionOf(options, "lameduck") ?? "0s"], ...addressOf(args, ":8080")]],
  ["ready", ({ args }) => addressOf(args, ":8181")],
  ["prometheus", ({ args: [address = "localhost:9153"] }) => [["", address.replace(/^0\.0\.0\.0:/, ":")]]],
  ["loadbalance", ({ args: [policy = "round_robin"] }) => [["", policy]]],
  ["reload", ({ args: [every = "30s"] }) => [["", every]]],
  ["log", readLog],
  ["rewrite", readRewrite],
  ["template", readTemplate],
  // Its view has served its purpose where its block is chosen.
  ["view", () => []],
]);

/** `log [NAMES...] [FORMAT]` with its classes in one order; `all` is as if none was said (plugin/log/setup.go). */
function readLog({ name, args, options }: WrittenDirective): Said[] {
  const classes = [...new Set(options.flatMap((each) => each.args))].toSorted();
  const said = classes.includes("all") || classes.length === 0 ? [] : [{ name: "class", args: classes, options: [] }];
  return [["", restOf({ name, args: args.length > 0 ? args : ["."], options: said })]];
}

/** What `filterAAAA` says, for every name. */
export const noAAAA = "no data for AAAA";

function readTemplate(directive: WrittenDirective, zone: string): Said[] {
  const { args, options } = directive;
  const own = zonesSaid(directive);
  const isForAll = own.length === 0 || own.includes(".");
  const isNoData = options.every(
    ({ name, args: [value] }) => name === "authority" || (name === "rcode" && value === "NOERROR"),
  );
  if (isForAll && isNoData && args[0] !== "CH" && args[1] === "AAAA") return [["", noAAAA]];
  return readWhole(directive, zone);
}

/** A rule that our key has, as `textOfRule` says it; its value is what the key needs. */
function readRewrite(directive: WrittenDirective): Said[] {
  const rule = rewriteRule(directive);
  if (!rule) return [["", restOf(directive)]];
  const again = replacedAgain(directive);
  return [
    ["name", textOfRule(rule).replace(/^name /, "")],
    ...(again === undefined ? [] : [["name substring", `${again} more than once in a name`] as const]),
  ];
}

/** @param usual The one without an argument. */
function addressOf(args: readonly string[], usual: string): Said[] {
  return args.filter((address) => address !== usual).map((address) => ["", address]);
}

function optionOf(options: readonly WrittenDirective[], name: string): string | undefined {
  return options.findLast((each) => each.name === name)?.args.join(" ");
}

/** Options that are read otherwise, apart; each other one as it is written. */
function others(options: readonly WrittenDirective[], known: readonly string[]): Said[] {
  return options.filter(({ name }) => !known.includes(name)).map((each) => [each.name, restOf(each)]);
}

/** Whether a plugin that passes on names of these zones passes on those of one. */
export function fallsThrough(options: readonly WrittenDirective[], zone: string): boolean {
  return options.some(
    ({ name, args }) => name === "fallthrough" && (args.length === 0 || args.some((each) => isIn(zone, each))),
  );
}

function isIn(zone: string, other: string): boolean {
  return zonesOf(other).some((each) => inZone(zone, each));
}

/** `forward FROM TO...` (plugin/forward/setup.go), and the older `proxy`. */
function readForward({ args: [, ...targets], options }: WrittenDirective): Said[] {
  // The name of a server over TLS may stand behind it. If all have the same, it is as if said once.
  const names = new Set(targets.map((each) => /^tls:.*%([^:\]]+)/.exec(each)?.[1]));
  const [shared] = names.size === 1 ? names : [];
  const servers = targets.map((each) => serverOf(shared === undefined ? each : each.replace(`%${shared}`, "")));
  return [
    ["to", [...new Set(servers)].join(" ")],
    ...(shared === undefined ? [] : [["tls_servername", shared] as const]),
    ["policy", optionOf(options, "policy") ?? "random"],
    ["max_concurrent", optionOf(options, "max_concurrent") ?? "0"],
    ...others(
      // How long a busy connection is kept changes no answer.
      options.filter(({ name, args }) => name !== "max_age" && forwardDefaults.get(name) !== args.join(" ")),
      ["policy", "max_concurrent"],
    ),
  ];
}

const forwardDefaults: ReadonlyMap<string, string> = new Map([
  ["expire", defaults.forwardOptions.expire],
  ["max_fails", String(defaults.forwardOptions.maxFails)],
  ["read_timeout", defaults.forwardOptions.timeout],
]);

/** One spelling for each server. Our nodes' file has what /etc/resolv.conf has. */
function serverOf(target: string): string {
  if (target === outsideServers.file) return "/etc/resolv.conf";
  const [, scheme = "", server = target] = /^(\w+:\/\/)?(.*)$/.exec(target) ?? [];
  const { address, port } = parseServer(server) ?? {};
  const isUsual = port === undefined || port === (scheme === "tls://" ? 853 : 53);
  return (scheme === "dns://" ? "" : scheme) + (address !== undefined && isUsual ? address : server);
}

/** `kubernetes [ZONES...]` (plugin/kubernetes/setup.go). */
function readKubernetes(directive: WrittenDirective, zone: string, keys: readonly ServerKey[]): Said[] {
  const above = kubernetesZones(directive, keys).filter((each) => inZone(zone, each));
  if (above.length === 0) return [];
  const { options } = directive;
  // Below a domain, nothing else has names: another domain there has its own.
  const hasNames = above.some(
    (each) => zone === each || isReverse(each) || ["svc", "pod"].some((part) => inZone(zone, `${part}.${each}`)),
  );
  const ofNames: Said[] = [
    ["ttl", optionOf(options, "ttl") ?? "5"],
    ["pods", optionOf(options, "pods") ?? "disabled"],
  ];
  return [
    ...(hasNames ? ofNames : []),
    ["fallthrough", fallsThrough(options, zone) ? "yes" : "no"],
    ...others(options, ["ttl", "pods", "fallthrough"]),
  ];
}

/** Without any, those of its server block. */
export function kubernetesZones({ args }: WrittenDirective, keys: readonly ServerKey[]): string[] {
  return [...new Set((args.length > 0 ? args : keys.map(({ zone }) => zone)).flatMap(zonesOf))];
}

/**
 * `hosts [FILE [ZONES...]]`, with entries of its own; `readCorefile` puts those of the file beside them. Addresses have
 * their names whatever its zones are, and others are always passed on (plugin/hosts/hosts.go).
 */
function readHosts({ args: [file, ...zones], options }: WrittenDirective, zone: string): Said[] {
  const isOwn = (name: string) => zones.length === 0 || zones.some((each) => isIn(name, each));
  const isOfAddresses = isBelowReverse(zone);
  if (isOfAddresses ? options.some(({ name }) => name === "no_reverse") : !isOwn(zone)) return [];
  const entries = options.filter(({ name }) => parseServer(name) !== undefined);
  return [
    ...(file === undefined || file === "/dev/null" ? [] : [["file", file] as const]),
    ...entries.flatMap(({ name: ip, args }) => args.filter(isOwn).map((name): Said => ["entry", `${ip} ${name}`])),
    ["ttl", optionOf(options, "ttl") ?? "3600"],
    ["fallthrough", isOfAddresses || fallsThrough(options, zone) ? "yes" : "no"],
    ...others(options, ["ttl", "reload", "fallthrough", ...entries.map(({ name }) => name)]),
  ];
}

export function isReverse(zone: string): boolean {
  return zonesOf(zone).some((each) => each === "." || isBelowReverse(each));
}

function isBelowReverse(zone: string): boolean {
  return reverseZones.some((reverse) => inZone(zone, reverse));
}

/** `file FILE [ZONES...]` (plugin/file/setup.go); `readCorefile` puts its text beside it. */
function readFile(
  { args: [file = "", ...zones], options }: WrittenDirective,
  zone: string,
  keys: readonly ServerKey[],
) {
  const own = zones.length > 0 ? zones : keys.map((key) => key.zone);
  if (!own.some((each) => isIn(zone, each))) return [];
  const text = optionOf(options, zoneText);
  return [
    text === undefined ? (["", file] as const) : ([zoneText, text] as const),
    ["fallthrough", fallsThrough(options, zone) ? "yes" : "no"] as const,
    ...others(options, [zoneText, "fallthrough", "reload", "reload_by_mtime"]),
  ];
}

/** As an option of `file`: what its file has. */
export const zoneText = "text";

/** CoreDNS's own (plugin/cache/cache.go, plugin/pkg/dnsutil/ttl.go, plugin/pkg/cache/cache.go). */
const cacheDefaults = { capacity: 9984, leastCapacity: 1024, ttl: { success: "3600", denial: "1800" } } as const;

/** `cache [TTL] [ZONES...]` (plugin/cache/setup.go). */
function readCache({ args, options }: WrittenDirective, zone: string): Said[] {
  const hasTTL = wholeNumber(args[0]) !== undefined;
  const zones = hasTTL ? args.slice(1) : args;
  if (zones.length > 0 && !zones.some((each) => isIn(zone, each)))
    return zones.some((each) => zonesOf(each).some((one) => inZone(one, zone))) ? [["only for", zones.join(" ")]] : [];
  const classOf = (name: "success" | "denial"): Said[] => {
    const [capacity, ttl, ...more] = options.findLast((each) => each.name === name)?.args ?? [];
    // Of several, the last counts.
    const disable = options.findLast(({ name: option, args: [kind] }) => option === "disable" && kind === name);
    const [, ...without] = disable?.args ?? [];
    if (disable && (without.length === 0 || without.some((each) => isIn(zone, each)))) return [[`${name} ttl`, "0"]];
    const entries = wholeNumber(capacity) ?? cacheDefaults.capacity;
    return [
      [`${name} capacity`, String(Math.max(entries, cacheDefaults.leastCapacity))],
      [`${name} ttl`, [ttl ?? (hasTTL ? args[0] : cacheDefaults.ttl[name]) ?? "", ...more].join(" ")],
    ];
  };
  const stale = staleOf(options.findLast(({ name }) => name === "serve_stale"));
  return [
    ...classOf("success"),
    ...classOf("denial"),
    ...prefetchOf(options.findLast(({ name }) => name === "prefetch")),
    ...stale,
    ...(stale.length > 0 && optionOf(options, "serve_stale_policy") !== undefined
      ? [["serve_stale_policy", optionOf(options, "serve_stale_policy") ?? ""] as const]
      : []),
    ...others(options, ["success", "denial", "disable", "prefetch", "serve_stale", "serve_stale_policy"]),
  ];
}

/** `prefetch AMOUNT [DURATION] [PERCENTAGE%]`; an amount of 0 turns it off. */
function prefetchOf(option: WrittenDirective | undefined): Said[] {
  const [amount, ...times] = option?.args ?? [];
  if (amount === undefined || wholeNumber(amount) === 0) return [];
  if (wholeNumber(amount) === undefined) return [["prefetch", [amount, ...times].join(" ")]];
  const percentage = times.find((each) => each.endsWith("%")) ?? "10%";
  return [["prefetch", [amount, times.find((each) => !each.endsWith("%")) ?? "1m", percentage].join(" ")]];
}

/**
 * `serve_stale [DURATION] [immediate|verify [TIMEOUT]] [TTL] [RECHECK]`. A duration of 0 turns it off; another time of 0
 * is as if not said (plugin/cache/handler.go).
 */
function staleOf(option: WrittenDirective | undefined): Said[] {
  if (!option) return [];
  const [duration = "1h", mode = "immediate", ...times] = option.args;
  if (isZero(duration)) return [];
  const isVerified = mode.toLowerCase() === "verify";
  const [timeout, ttl = "0s", recheck] = (isVerified ? times : [undefined, ...times]).map((time) =>
    time === undefined || isZero(time) ? "0s" : time,
  );
  const all = [duration, mode.toLowerCase(), ...(isVerified ? [timeout ?? "0s"] : []), ttl, recheck ?? "0s"];
  return [["serve_stale", all.slice(0, all.findLastIndex((each) => each !== "0s") + 1).join(" ")]];
}

function isZero(time: string): boolean {
  return /^[^1-9]*0[^1-9]*$/.test(time);
}

export function wholeNumber(text: string | undefined): number | undefined {
  return /^\d+$/.test(text ?? "") ? Number(text) : undefined;
}
