import { parseCorefile, type WrittenBlock, type WrittenDirective } from "../corefile/parse";
import { defaults } from "../defaults";
import { canonicalName } from "../syntax/names";
import { addressRange, parseServer } from "../syntax/addresses";
import { type Finding, found, type Found, merged, nothing } from "./finding";

/** Plugins that every Corefile of ours has, or replaces. */
const ours = new Set([
  "bufsize",
  "debug",
  "errors",
  "health",
  "lameduck",
  "loadbalance",
  "loop",
  "metadata",
  "nsid",
  "prometheus",
  "ready",
  "reload",
]);

/** Our block for answers over UDP; the one for TCP says the same but for its cache. */
const overUdp = "view udp { expr proto() == 'udp' }";

/** What a Corefile contains that a cluster file can express; `source` names its origin. */
export function fromCorefile(text: string, source: string): Found {
  let blocks: WrittenBlock[];
  try {
    blocks = parseCorefile(text);
  } catch (error) {
    return { findings: [], unsaid: [`${source}: cannot be read as a Corefile: ${(error as Error).message}`] };
  }
  const cluster = blocks.find(({ plugins }) => plugins.some(({ name }) => name === "kubernetes"));
  const port = portOf((cluster ?? blocks.find(isRoot))?.keys[0] ?? "");
  const all = blocks.map((block) =>
    block === cluster || (isRoot(block) && portOf(block.keys[0] ?? "") === port) ? fromRoot(block) : fromStub(block),
  );
  return {
    findings: all.flatMap(({ findings }) => findings),
    unsaid: all.flatMap(({ unsaid }) => unsaid).map((what) => `${source}: ${what}`),
  };
}

/** Answers all names that no other block does. */
function isRoot({ keys }: WrittenBlock): boolean {
  return keys.some((key) => zoneOf(key) === ".");
}

/** The port of `.:5353`, on which Deckhouse's CoreDNS listens. */
function portOf(key: string): string {
  return /:(\d+)$/.exec(key)?.[1] ?? "53";
}

/** The zone of `dns://corp.example.:53`. */
function zoneOf(key: string): string {
  const zone = key.replace(/^\w+:\/\//, "").replace(/:\d+$/, "");
  return zone === "." ? zone : canonicalName(zone);
}

function fromRoot({ plugins }: WrittenBlock): Found {
  const each = plugins.map((directive): Found => {
    switch (directive.name) {
      case "kubernetes":
        return fromKubernetes(directive);
      case "forward":
        return fromForward(directive);
      case "hosts":
        return fromHosts(directive);
      case "cache":
        return fromCache(directive);
      default:
        return ours.has(directive.name) || written(directive) === overUdp
          ? nothing
          : { findings: [], unsaid: [written(directive)] };
    }
  });
  return merged(each);
}

function fromKubernetes({ args, options }: WrittenDirective): Found {
  const said = new Map(options.map(({ name, args: words }) => [name, words[0]]));
  const ttl = Number(said.get("ttl") ?? defaults.authoritativeDNS.ttl);
  const pods = said.get("pods") ?? "disabled";
  const known = new Set(["ttl", "pods", "fallthrough"]);
  return {
    findings: [
      ...unlessDefault(
        "clusterDomain",
        args.map(zoneOf).find((zone) => !zone.endsWith(".arpa")),
        defaults.cluster.clusterDomain,
      ),
      ...unlessDefault("authoritativeDNS.ttl", ttl, defaults.authoritativeDNS.ttl),
      ...unlessDefault("authoritativeDNS.pods", pods, defaults.authoritativeDNS.pods),
    ],
    unsaid: options.filter(({ name }) => !known.has(name)).map((option) => `kubernetes: ${written(option)}`),
  };
}

function fromForward(directive: WrittenDirective): Found {
  const { args, options } = directive;
  const [from = "", ...targets] = args;
  if (from !== ".") return fromConditional(directive);
  const option = (name: string) => options.find((each) => each.name === name)?.args[0];
  const servers = targets.map((target) => target.replace(/^(dns|tls):\/\//, ""));
  const isPlain = targets.every((target) => target === "/etc/resolv.conf");
  const known = new Set(["policy", "tls_servername", "max_concurrent", "prefer_udp"]);
  const tls = targets.filter((target) => target.startsWith("tls://")).length;
  // Without a name to expect, or mixed with plain DNS, TLS cannot be set; plain DNS must not silently take its place.
  const tlsAccepted = tls === 0 || (tls === targets.length && option("tls_servername") !== undefined);
  const accepted = isPlain || (tlsAccepted && servers.every((server) => parseServer(server) !== undefined));
  return {
    findings: [
      ...(isPlain || !accepted ? [] : found("upstreamNameservers", servers)),
      ...found("upstreamTLSServerName", option("tls_servername")),
      ...unlessDefault("upstreamPolicy", option("policy"), defaults.cluster.upstreamPolicy),
    ],
    unsaid: [
      ...(accepted ? [] : [`forward to ${targets.join(" ")}`]),
      ...options.filter(({ name }) => !known.has(name)).map((each) => `forward: ${written(each)}`),
    ],
  };
}

/** `forward corp.example 10.1.2.3` in the root block: a stub domain. */
function fromConditional(directive: WrittenDirective): Found {
  const [zone = ""] = directive.args;
  const servers = serversOf(directive);
  if (!servers) return { findings: [], unsaid: [written(directive)] };
  const known = new Set(["max_concurrent", "prefer_udp"]);
  return {
    findings: [{ path: ["stubDomains", zoneOf(zone)], value: servers }],
    unsaid: directive.options.filter(({ name }) => !known.has(name)).map((each) => `forward ${zone}: ${written(each)}`),
  };
}

/** Where `forward` asks, if these are servers outside of the pod. */
function serversOf({ args: [, ...targets] }: WrittenDirective): string[] | undefined {
  const servers = targets.map((target) => target.replace(/^dns:\/\//, ""));
  const isOutside = (server: string) => {
    const address = parseServer(server)?.address;
    return address !== undefined && addressRange(address) !== "loopback";
  };
  return servers.length > 0 && servers.every(isOutside) ? servers : undefined;
}

function fromHosts({ args: [file, ...zones], options }: WrittenDirective): Found {
  const entries = options.filter(({ name }) => parseServer(name) !== undefined);
  const known = new Set(["fallthrough", "ttl", "no_reverse", "reload"]);
  return {
    findings:
      entries.length > 0
        ? found(
            "hostAliases",
            entries.map(({ name, args }) => ({ ip: name, hostnames: args })),
          )
        : [],
    unsaid: [
      ...(file === undefined || file === "/dev/null" ? [] : [`hosts of file ${[file, ...zones].join(" ")}`]),
      ...options
        .filter((each) => !entries.includes(each) && !known.has(each.name))
        .map((each) => `hosts: ${written(each)}`),
    ],
  };
}

function fromCache({ args: [ttl], options }: WrittenDirective): Found {
  const seconds = ttl === undefined ? undefined : Number(ttl);
  const one = (name: "success" | "denial"): Finding[] => {
    const [capacity, ownTTL] = options.find((option) => option.name === name)?.args.map(Number) ?? [];
    const path = `authoritativeDNS.cache.${name}`;
    return [
      ...unlessDefault(`${path}.capacity`, capacity, defaults.cache[name].capacity),
      ...unlessDefault(`${path}.ttl`, ownTTL ?? seconds, defaults.cache[name].ttl),
    ];
  };
  // kubeadm's, which keeps the cluster's own names out of the cache, as we do.
  const known = new Set(["success", "denial", "disable"]);
  return {
    findings: [...one("success"), ...one("denial")],
    unsaid: options.filter(({ name }) => !known.has(name)).map((option) => `cache: ${written(option)}`),
  };
}

function fromStub({ keys, plugins }: WrittenBlock): Found {
  const zones = keys.map(zoneOf);
  const name = `server block ${keys.join(" ")}`;
  const forward = plugins.find(
    (each) => each.name === "forward" && (each.args[0] === "." || zones.includes(zoneOf(each.args[0] ?? ""))),
  );
  const ofPort53 = keys.every((key) => /^[^:]*(:53)?$/.test(key.replace(/^dns:\/\//, "")));
  if (!forward || !ofPort53 || !serversOf(forward)) return { findings: [], unsaid: [name] };
  const all = zones.map((zone) => fromConditional({ ...forward, args: [zone, ...forward.args.slice(1)] }));
  const others = plugins.filter((each) => each !== forward && each.name !== "cache" && !ours.has(each.name));
  return merged([...all, { findings: [], unsaid: others.map((each) => `${name}: ${written(each)}`) }]);
}

function unlessDefault(path: string, value: unknown, byDefault: unknown): Finding[] {
  return value === byDefault ? [] : found(path, value);
}

function written({ name, args, options }: WrittenDirective): string {
  return [name, ...args, ...(options.length > 0 ? [`{ ${options.map(written).join("; ")} }`] : [])].join(" ");
}
