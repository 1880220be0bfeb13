import type { CacheSettings } from "./cache";
import {
  bufsize,
  plugin,
  serverBlock,
  type Argument,
  type Corefile,
  type Directive,
  type ServerBlock,
} from "./corefile";
import { configFolder, maxConcurrent } from "./forward";
import { maxConcurrentOverTcp } from "./over-udp";
import { regexOf } from "./regex";
import { noSuchName, rewrite } from "./tenant-names";

/** How the cache walks the search paths of pods. */
export interface WalkedPath {
  /** Search domains that pods inherit from their nodes, in their order. */
  readonly nodeDomains: readonly string[];
  /** Names of two labels in these are outside. */
  readonly topLevelDomains: readonly string[];
  /** Their pods have search paths of their own. Undefined: no tenants. */
  readonly tenants: { readonly names: readonly string[]; readonly isSoft: boolean } | undefined;
  /** Zones below the cluster domain that have names of another kind, which only the cluster's DNS answers. */
  readonly ownZones: readonly string[];
  /** Whether the cluster's DNS may answer more below its domain than Kubernetes, tenants and the federation name. */
  readonly mayAnswerMore: boolean;
}

/** The cache answers itself at this address. */
const selfAddress = "127.254.20.1";

/**
 * Addresses of the cache besides those that pods ask. They are on the loopback, and on the same port: what keeps the cache
 * from listening there keeps it from listening on the node's link, too.
 */
export const walkListenAddresses: readonly string[] = [selfAddress];

/** In place of a pod's own zone, so that the path is the same for all: it never has names (RFC 6761). */
const start = "invalid";

/** How many seconds a name is known to be nowhere, as other names of the cluster. */
const denialTtl = 5;

/** Endpoint, Service, namespace. */
const longestName = 3;

/** Pods of one kind: their path, and how the first name of it ends. */
interface Walker {
  readonly name: string;
  /** For which names it is asked, as an expression. */
  readonly isAsked: string;
  /** The file with its path, beside the Corefile: what plugin `autopath` reads. */
  readonly file: string;
  readonly searches: readonly string[];
  /** What is between the name and `svc.<domain>`, as a regular expression. */
  readonly own: string;
  /** Where all namespaces have names, and nothing else that could be in their place. */
  readonly namespaceZone: string;
  /** Where it listens: to check the namespace, and to walk. */
  readonly addresses: readonly [namespaces: string, walk: string];
}

const addressesOf = {
  pods: ["127.254.20.2", "127.254.20.3"],
  tenants: ["127.254.20.4", "127.254.20.5"],
} as const;

const onlyOwn: ReadonlySet<Argument> = new Set<Argument>(Object.values(addressesOf).flat());

function walkers({ nodeDomains, topLevelDomains, tenants }: WalkedPath, domain: string): Walker[] {
  const services = `svc.${domain}`;
  const ofTwoLabels =
    topLevelDomains.length > 0 ? [matches(`[^_.][^.]*[.](${topLevelDomains.join("|")})[.][^.]+[.]`, services)] : [];
  return [
    ...(tenants
      ? [
          {
            name: "tenants",
            // Of fewer labels, some could be an endpoint of the same tenant.
            isAsked: `${longerThan(longestName + 2, services)} && ${isAmong(tenants.names, domain)}`,
            file: "search-path-of-tenants",
            searches: tenants.isSoft ? [] : [services, domain],
            own: "[^.]+\\.[^.]+",
            namespaceZone: services,
            addresses: addressesOf.tenants,
          },
        ]
      : []),
    {
      name: "pods",
      isAsked: `(${[longerThan(longestName, services), ...ofTwoLabels].join(" || ")})`,
      file: "search-path",
      searches: [services, domain, ...nodeDomains],
      own: "[^.]+",
      // A tenant has a name in the zone of Services, but none in that of pods.
      namespaceZone: tenants ? `pod.${domain}` : services,
      addresses: addressesOf.pods,
    },
  ];
}

/** The files that `searchPathBlocks` needs. */
export function searchPathFiles(path: WalkedPath | undefined, domain: string): { readonly [file: string]: string } {
  if (!path) return {};
  const text = (searches: readonly string[]) => `search ${[start, ...searches].map((each) => `${each}.`).join(" ")}\n`;
  return Object.fromEntries(walkers(path, domain).map(({ file, searches }) => [file, text(searches)]));
}

/**
 * Server blocks before the cluster domain's own. A pod of namespace `a` asks for `x.y.z.a.svc.<domain>` first, which is no
 * name of Kubernetes: the cache asks itself for the rest of the pod's path, in the resolver's order, and answers with an
 * alias for what it found. NXDOMAIN is always correct: then the pod goes on by itself.
 * @param common The first plugins of each block that pods ask.
 */
export function searchPathBlocks(
  path: WalkedPath,
  domain: string,
  cache: CacheSettings,
  common: readonly Directive[],
): Corefile {
  const all = walkers(path, domain);
  const asksFirst = path.mayAnswerMore || path.tenants !== undefined || path.topLevelDomains.length > 0;
  return [
    ...all.flatMap((walker) => firstNames(walker, domain, asksFirst, cache, common)),
    ...(path.mayAnswerMore ? [] : nowhere(path, domain, common)),
    ...all.flatMap((walker) => walk(walker, domain)),
  ];
}

/** What pods ask first: over UDP with a cache, as names outside. */
function firstNames(
  { name, isAsked, addresses: [namespaces, theWalk] }: Walker,
  domain: string,
  asksFirst: boolean,
  cache: CacheSettings,
  common: readonly Directive[],
): Corefile {
  const block = (proto: "udp" | "tcp", caching: readonly Directive[], limit: Directive) => {
    // Whoever validates signatures needs the name's own answer. The cache itself asks from the loopback's address.
    const expression = `${isAsked} && proto() == '${proto}' && !do() && client_ip() != '127.0.0.1'`;
    return serverBlock(
      [`svc.${domain}`],
      [
        ...common,
        ...caching,
        ...(asksFirst ? [ask(selfAddress, limit, plugin("next", ["NXDOMAIN"]))] : []),
        // With anything but a namespace in its place, it was not the first name that a pod asked.
        ask(namespaces, limit, plugin("next", ["NOERROR"])),
        ask(theWalk, limit),
        plugin("loadbalance"),
      ],
      { view: view(`${name}-${proto}`, expression) },
    );
  };
  return [block("udp", [cacheOf(cache)], maxConcurrent), block("tcp", [], maxConcurrentOverTcp)];
}

/** What no server needs to be asked for: the cluster's DNS has no names of this form. */
function nowhere({ tenants }: WalkedPath, domain: string, common: readonly Directive[]): Corefile {
  const block = (zone: string, name: string, expression: string) =>
    serverBlock([zone], [...common, noSuchName(domain, denialTtl)], { view: view(name, expression) });
  const isOther = `!(${matches("((.*[.])?(svc|pod|dns|dns-version)[.])?", domain)})`;
  return [
    block(`svc.${domain}`, "too-long", longerThan(longestName + (tenants ? 1 : 0), `svc.${domain}`)),
    // By this type, plugin `loop` finds itself.
    block(domain, "other", `${isOther} && type() != 'HINFO'`),
  ];
}

function walk({ own, file, namespaceZone, addresses: [namespaces, theWalk] }: Walker, domain: string): Corefile {
  const services = regexOf(`svc.${domain}.`);
  return [
    serverBlock(
      [`svc.${domain}`],
      [
        plugin("bind", [namespaces]),
        rewrite(`^.+\\.(${own})\\.${services}$`, `{1}.${namespaceZone}.`),
        ask(selfAddress),
      ],
    ),
    serverBlock(
      [`svc.${domain}`],
      [
        plugin("bind", [theWalk]),
        bufsize,
        rewrite(`^(.+)\\.${own}\\.${services}$`, `{1}.${start}.`),
        plugin("autopath", [start, `${configFolder}/${file}`]),
        noSuchName(domain, denialTtl, [start]),
        ask(selfAddress),
      ],
    ),
  ];
}

/** Whether only the cache asks a block, on a walk. */
export function isForOurselves({ plugins }: ServerBlock): boolean {
  return plugins.some(({ name, args }) => name === "bind" && args.every((each) => onlyOwn.has(each)));
}

/** Over loopback, and for as long as any answer may take. */
function ask(address: string, ...options: readonly Directive[]): Directive {
  const always = [plugin("max_fails", [0]), plugin("read_timeout", ["5s"])];
  return plugin("forward", [".", `${address}:53`], [...always, ...options]);
}

/** No answer is kept longer for having been found by a walk. */
function cacheOf({ success, denial }: CacheSettings): Directive {
  return plugin(
    "cache",
    [],
    [
      plugin("success", [success.capacity, success.ttl, 0]),
      plugin("denial", [denial.capacity, denialTtl, 0]),
      plugin("servfail", ["0s"]),
    ],
  );
}

function view(name: string, expression: string): Directive {
  return plugin("view", [name], [plugin("expr", [expression])]);
}

/** Whether a name has more labels below a zone, of which none names a port or a protocol. */
function longerThan(labels: number, zone: string): string {
  return matches(`([^_.][^.]*[.]){${labels + 1},}`, zone);
}

/** Whether what is below a zone matches. */
function matches(below: string, zone: string): string {
  return `name() matches '^${below}${zone.replaceAll(".", "[.]")}[.]$'`;
}

/** Whether the label before `svc` is a tenant. A list would be limited to 10,000 entries. */
function isAmong(tenants: readonly string[], domain: string): string {
  const label = `split(name(), '.')[-${domain.split(".").length + 3}]`;
  return `' ${tenants.join(" ")} ' contains ' ' + ${label} + ' '`;
}
