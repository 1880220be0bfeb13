import { authoritativeLameduckSeconds, coreDnsMetricsPort } from "../corefile/authoritative";
import { maxAnswersOverTcp, maxConcurrent } from "../corefile/outside-names";
import type { WrittenBlock, WrittenDirective } from "../corefile/corefile";
import { parseCorefile } from "../corefile/parse";
import { nameOfKey, zonesOf } from "../corefile/server-key";
import { defaults } from "../defaults";
import { differences } from "../kubernetes/differences";
import { addressRange, parseServer } from "../syntax/addresses";
import { fromCache } from "./cache-finding";
import { written } from "./directive";
import { found, type Found, merged, nothing, unlessDefault } from "./finding";
import { fromHosts } from "./hosts-finding";
import { fromKubernetes, kubernetesZones, missingReverse } from "./kubernetes-finding";

/** Plugins that every Corefile of ours has, or replaces: what ours says, and what nobody chose for a cluster. */
const usual: ReadonlyMap<string, readonly string[]> = new Map([
  ["bufsize", ["bufsize 1232"]],
  ["errors", ["errors"]],
  ["health", [`health { lameduck ${authoritativeLameduckSeconds}s }`, "health { lameduck 5s }", "health"]],
  ["loadbalance", ["loadbalance", "loadbalance round_robin"]],
  ["loop", ["loop"]],
  ["prometheus", [`prometheus :${coreDnsMetricsPort}`]],
  ["ready", ["ready"]],
  ["reload", ["none, for a change replaces the pods", "reload"]],
]);

/** Queries under way in `forward`: over UDP and, in a block of ours, over TCP. */
const limits: readonly string[] = [...maxConcurrent.args, maxAnswersOverTcp].map(String);

/** Our block for answers over UDP; the one for TCP says the same but for its cache. */
const overUdp = "view udp { expr proto() == 'udp' }";

/**
 * What a Corefile contains that a cluster file can express; `source` names its origin. One that its owner keeps still
 * has its own cache, which a node cache follows, health check, metrics and the like.
 */
export function fromCorefile(text: string, source: string, isKept: boolean): Found {
  let blocks: WrittenBlock[];
  try {
    blocks = parseCorefile(text).map(({ keys, plugins }) => ({
      keys,
      plugins: plugins.filter(({ name }) => !isKept || !usual.has(name)),
    }));
  } catch (error) {
    return only([`${source}: cannot be read as a Corefile: ${(error as Error).message}`]);
  }
  const cluster = blocks.find(({ plugins }) => plugins.some(({ name }) => name === "kubernetes"));
  const port = portOf(cluster ?? blocks.find(isRoot));
  const roots = blocks.filter((block) => isRoot(block) && portOf(block) === port);
  const ofCluster = cluster ? clusterZones(cluster).filter((zone) => zone !== ".") : [];
  /** The block whose upstreams count: another `view` is for some clients only. */
  const general = roots.find(({ plugins }) => !plugins.some(isOtherView)) ?? roots[0] ?? cluster;
  const outside = roots.map(cacheOf).find((cache) => cache !== undefined);
  const ofOutside = outside ? fromCache(outside, ofCluster) : nothing;
  const inEffect = isKept ? { ...ofOutside, unsaid: [] } : ofOutside;
  /** Ours has one cache for all names outside the cluster domain. */
  const otherCache = (block: WrittenBlock): string[] => {
    const cache = cacheOf(block);
    if (isKept || cache === outside) return [];
    const { findings, unsaid } = cache ? fromCache(cache, ofCluster) : nothing;
    const isSame =
      cache !== undefined &&
      differences(findings, inEffect.findings).length === 0 &&
      unsaid.every((what) => inEffect.unsaid.includes(what));
    return isSame ? [] : [`${cache ? written(cache) : noCache}; ours: authoritativeDNS.cache`];
  };
  const isUncached = !isKept && outside === undefined && roots.some(forwards);
  const all = blocks.map((block): Found => {
    const main = (ofCache: Found) => fromMain(block, general, isKept, ofCache);
    if (roots.includes(block)) return main(cacheOf(block) === outside ? inEffect : only(otherCache(block)));
    if (block === cluster) return main(only(isKept ? [] : clusterCache(block)));
    return fromStub(block, port, otherCache(block));
  });
  // The first finding of a key counts, and CoreDNS's longest zone: a block of its own before `forward ZONE` in another.
  const isMain = (_: Found, i: number) => [cluster, ...roots].includes(blocks[i]);
  const inOrder = [...all.filter((each, i) => !isMain(each, i)), ...all.filter(isMain)];
  return {
    findings: [
      ...inOrder.flatMap(({ findings }) => findings),
      ...unlessDefault("hostAliases", [], defaults.cluster.hostAliases),
    ],
    unsaid: [
      ...all.flatMap(({ unsaid }) => unsaid),
      ...(cluster && !isKept ? missingReverse(blocks.flatMap(clusterZones)) : []),
      ...(isUncached ? [`${noCache}; ours: authoritativeDNS.cache`] : []),
    ].map((what) => `${source}: ${what}`),
  };
}

const noCache = "no cache";

function cacheOf({ plugins }: WrittenBlock): WrittenDirective | undefined {
  return plugins.find(({ name }) => name === "cache");
}

/** A cache for nothing but the cluster's names. */
function clusterCache(block: WrittenBlock): string[] {
  const cache = cacheOf(block);
  return cache
    ? [`${nameOfBlock(block)}: ${written(cache)}; ours: none, for these names are answered from memory`]
    : [];
}

function clusterZones({ keys, plugins }: WrittenBlock): string[] {
  return plugins.filter(({ name }) => name === "kubernetes").flatMap((each) => kubernetesZones(each, keys));
}

function forwards({ plugins }: WrittenBlock): boolean {
  return plugins.some(({ name }) => name === "forward");
}

function nameOfBlock({ keys, plugins }: WrittenBlock): string {
  const imported = keys.length === 0 ? plugins.map(written) : [];
  return `server block ${[...keys.map(nameOfKey), ...imported].join(" ")}`;
}

function only(unsaid: readonly string[]): Found {
  return { findings: [], unsaid };
}

/** Answers all names that no other block does. */
function isRoot({ keys }: WrittenBlock): boolean {
  return keys.some(({ zone }) => zone === ".");
}

/** The port of `.:5353`, on which Deckhouse's CoreDNS listens. */
function portOf(block: WrittenBlock | undefined): number {
  return block?.keys[0]?.port ?? 53;
}

/** A block that answers the cluster's names, all names outside, or both; ours has one `forward` and `hosts` for all. */
function fromMain(block: WrittenBlock, general: WrittenBlock | undefined, isKept: boolean, ofCache: Found): Found {
  const { keys, plugins } = block;
  // CoreDNS asks no other.
  const forward = plugins.find(({ name, args: [zone] }) => name === "forward" && zone === ".");
  const unlessOther = (directive: WrittenDirective, read: (directive: WrittenDirective) => Found): Found => {
    const ofGeneral = general?.plugins.filter(({ name }) => name === directive.name) ?? [];
    const isRead =
      block === general ||
      (ofGeneral.length === 0 && !isRoot(block)) ||
      ofGeneral.some((each) => differences(read(each), read(directive)).length === 0);
    return isRead ? read(directive) : only([`${nameOfBlock(block)}: ${written(directive)}; ours: one for all names`]);
  };
  const each = plugins.map((directive): Found => {
    switch (directive.name) {
      case "kubernetes":
        return fromKubernetes(directive, keys, isKept);
      case "forward":
        return directive.args[0] === "." && directive !== forward
          ? only([written(directive)])
          : unlessOther(directive, fromForward);
      case "hosts":
        return unlessOther(directive, fromHosts);
      case "cache":
        return ofCache;
      default:
        return written(directive) === overUdp ? nothing : only(unusual(directive));
    }
  });
  return merged(each);
}

function isOtherView(directive: WrittenDirective): boolean {
  return directive.name === "view" && written(directive) !== overUdp;
}

/** What a plugin says that ours does not. */
function unusual(directive: WrittenDirective): string[] {
  const text = written(directive);
  const [own, ...others] = usual.get(directive.name) ?? [];
  if (own === undefined) return [text];
  return [own, ...others].includes(text) ? [] : [`${text}; ours: ${own}`];
}

function fromForward(directive: WrittenDirective): Found {
  const { args, options } = directive;
  const [from = "", ...targets] = args;
  if (from !== ".") return fromConditional(directive);
  const option = (name: string) => options.find((each) => each.name === name)?.args[0];
  const servers = targets.map((target) => target.replace(/^(dns|tls):\/\//, ""));
  const isPlain = targets.every((target) => target === "/etc/resolv.conf");
  const known = new Set(["policy", "tls_servername"]);
  const tls = targets.filter((target) => target.startsWith("tls://")).length;
  // Without a name to expect, or mixed with plain DNS, TLS cannot be set; plain DNS must not silently take its place.
  const tlsAccepted = tls === 0 || (tls === targets.length && option("tls_servername") !== undefined);
  const accepted = isPlain || (tlsAccepted && servers.every((server) => parseServer(server) !== undefined));
  return {
    findings: [
      ...(isPlain || !accepted ? [] : found("upstreamNameservers", servers)),
      ...found("upstreamTLSServerName", option("tls_servername")),
      ...unlessDefault("upstreamPolicy", option("policy") ?? "random", defaults.cluster.upstreamPolicy),
    ],
    unsaid: [
      ...(accepted ? [] : [`forward to ${targets.join(" ")}`]),
      ...otherOptions(
        "forward",
        options.filter(({ name }) => !known.has(name)),
      ),
    ],
  };
}

/** `forward corp.example 10.1.2.3` in the root block: a stub domain. */
function fromConditional(directive: WrittenDirective): Found {
  const [zone = ""] = directive.args;
  const servers = serversOf(directive);
  if (!servers) return only([written(directive)]);
  return {
    findings: [{ path: ["stubDomains", zonesOf(zone)[0] ?? zone], value: servers }],
    unsaid: otherOptions(
      `forward ${zone}`,
      // CoreDNS's own, which ours has.
      directive.options.filter((option) => written(option) !== "policy random"),
    ),
  };
}

/** Options of `forward` but its usual limits. */
function otherOptions(what: string, options: readonly WrittenDirective[]): string[] {
  const isLimit = ({ name }: WrittenDirective) => name === "max_concurrent";
  return options
    .filter((each) => !isLimit(each) || !limits.includes(each.args[0] ?? ""))
    .map((each) => `${what}: ${written(each)}${isLimit(each) ? `; ours: ${limits[0]}` : ""}`);
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

/**
 * @param port That on which pods are answered.
 * @param otherCache What its cache says that ours does not.
 */
function fromStub(block: WrittenBlock, port: number, otherCache: readonly string[]): Found {
  const { keys, plugins } = block;
  const zones = keys.flatMap(({ zone }) => zonesOf(zone));
  const name = nameOfBlock(block);
  const forward = plugins.find(
    (each) => each.name === "forward" && (each.args[0] === "." || zones.includes(zonesOf(each.args[0] ?? "")[0] ?? "")),
  );
  const isAsked = keys.every((key) => key.transport === "dns" && key.port === port);
  if (!forward || !isAsked || !serversOf(forward)) return only([name]);
  const all = zones.map((zone) => fromConditional({ ...forward, args: [zone, ...forward.args.slice(1)] }));
  const others = [
    ...plugins.filter((each) => each !== forward && each.name !== "cache").flatMap(unusual),
    ...otherCache,
  ];
  return merged([...all, only(others.map((what) => `${name}: ${what}`))]);
}
