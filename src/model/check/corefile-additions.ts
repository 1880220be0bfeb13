import { hasView, isOf, readAdditions, type AdditionPart } from "../corefile/additions";
import { authoritativeCorefile } from "../corefile/authoritative";
import type { Corefile, Directive, Position, WrittenBlock, WrittenDirective } from "../corefile/corefile";
import { lineOf } from "../corefile/line";
import { healthZone, nodeLocalDnsCorefile } from "../corefile/node-local-dns";
import { keyFor, nodeCachePlugins, pluginRule, plugins, type Count } from "../corefile/plugins";
import { isArgument } from "../corefile/render";
import { nameOfKey, zonesOf } from "../corefile/server-key";
import { clusterOf, type Cluster } from "../cluster/cluster";
import { defaults } from "../defaults";
import type { FullProps } from "../full-props/fill-in";
import type { ClusterDnsProps } from "../props/cluster-dns";
import { parseServer } from "../syntax/addresses";
import { own, withoutKeys } from "../syntax/mapping";
import type { Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { suggest } from "../syntax/suggest";
import { serverProblems, tenantZones, zonesOfCluster } from "./outside-names";
import { about, type Given } from "./report";

const components = ["authoritativeDNS", "nodeLocalDNS"] as const;

/** Additions that CoreDNS would refuse, or that take something away that ours needs. */
export function corefileRules({ props, cluster, said }: Given): Problem[] {
  return components.flatMap((component) => {
    const given = props[component]?.corefile;
    if (!given) return [];
    const { authoritativeDns, nodeLocalDns } = cluster?.components ?? {};
    const settings = { authoritativeDNS: authoritativeDns, nodeLocalDNS: nodeLocalDns }[component];
    if (!settings)
      return about([component, "corefile"]).when(
        cluster !== undefined,
        component === "authoritativeDNS"
          ? "needs our Corefile, but authoritativeDNS.kind is Existing; write it there, and name the zones in nodeLocalDNS.askClusterDNS"
          : "is for a node cache, and this cluster has none",
      );
    return new Additions(props, said, component, cluster, withoutNames(props)[component]).problems();
  });
}

/**
 * Our Corefiles without what the user names, which may be wrong in itself, and has blocks of its own: every block that is
 * in each, and its plugins.
 */
function withoutNames(props: ClusterDnsProps): { readonly [component in (typeof components)[number]]: Corefile } {
  const { authoritativeDNS, nodeLocalDNS, ...others } = props;
  const { authoritativeDns, nodeLocalDns } = clusterOf({
    ...withoutKeys(others, named),
    clusterDNS: props.clusterDNS,
    kubeProxyMode: props.kubeProxyMode,
    authoritativeDNS: withoutKeys(authoritativeDNS ?? {}, named),
    nodeLocalDNS: withoutKeys(nodeLocalDNS ?? {}, named),
  }).components;
  return {
    authoritativeDNS: authoritativeDns ? authoritativeCorefile(authoritativeDns.names) : [],
    nodeLocalDNS: nodeLocalDns ? nodeLocalDnsCorefile(nodeLocalDns) : [],
  };
}

/** Keys that name zones, servers or tenants, or have Corefile text. */
const named = [
  "upstreamNameservers",
  "upstreamOptions",
  "stubDomains",
  "hostAliases",
  "rewrites",
  "zones",
  "tenancy",
  "federation",
  "corefile",
  "askClusterDNS",
  "searchPath",
];

/** The checks of one component's additions. */
class Additions {
  private readonly read;
  private readonly domain;

  constructor(
    private readonly props: ClusterDnsProps,
    private readonly said: FullProps,
    private readonly component: (typeof components)[number],
    private readonly cluster: Cluster | undefined,
    private readonly ours: Corefile,
  ) {
    this.read = readAdditions(said[component].corefile);
    this.domain = said.clusterDomain;
  }

  problems(): Problem[] {
    const { clusterNames, otherNames, blocks, errors } = this.read;
    return [
      ...Object.entries(errors).map(([part, error]) => this.at(part as AdditionPart, error.at, error.message)),
      ...this.ofDirectives("clusterNames", clusterNames, this.blockOf(this.domain)),
      ...this.ofDirectives("otherNames", otherNames, this.blockOf(".")),
      ...this.ofBlocks(blocks),
    ];
  }

  private blockOf(zone: string): readonly Directive[] {
    return this.ours.filter((block) => isOf(block, zone)).flatMap((block) => block.plugins);
  }

  private ofBlocks(blocks: readonly WrittenBlock[]): Problem[] {
    const { stubDomains, zones: others } = this.said;
    const ofOurs = this.ours.flatMap(({ keys }) => keys).map(({ zone }) => zone);
    const ofTenants = this.component === "authoritativeDNS" ? tenantZones(this.said) : [];
    const all = [
      ...ofOurs,
      ...zonesOfCluster(this.domain),
      ...ofTenants,
      ...Object.keys(stubDomains),
      ...Object.keys(others),
    ];
    const known = new Set(all.flatMap(zonesOf));
    const before = new Set<string>();
    return blocks.flatMap((block) => {
      const zones = block.keys.flatMap(({ zone }) => zonesOf(zone));
      const problems = this.ofBlock(block, known, before);
      if (!hasView(block)) for (const zone of zones) before.add(zone);
      return problems;
    });
  }

  /**
   * @param known Zones that blocks of ours answer.
   * @param before Those of blocks above.
   */
  private ofBlock(block: WrittenBlock, known: ReadonlySet<string>, before: ReadonlySet<string>): Problem[] {
    const { keys, plugins: directives, at } = block;
    const place = at ?? { line: 1, column: 1 };
    const zones = keys.flatMap(({ zone }) => zonesOf(zone));
    const say = (bad: boolean, message: string) => (bad ? [this.at("blocks", place, message)] : []);
    return [
      ...say(keys.length === 0 || keys.some(({ zone }) => zone.includes("$")), "has no zone that can be read"),
      ...keys.flatMap((key) =>
        say(
          key.transport !== "dns" || key.port !== 53,
          `${nameOfKey(key)} is another listener; accepted: zones without a scheme, on port 53`,
        ),
      ),
      ...zones.flatMap((zone, i) => [
        ...say(
          known.has(zone) && !hasView(block),
          `${zone} is answered by a block of ours; write plugins into clusterNames or otherNames, or add a view`,
        ),
        ...say(
          zone === healthZone && hasView(block),
          `${zone} tells the kubelet and the watchdog which cache answers; leave it to ours`,
        ),
        ...say(before.has(zone) && !hasView(block), `${zone} has a block above; keep one`),
        ...say(zones.indexOf(zone) < i, `${zone} is said twice for this block; keep one`),
        ...say(!/^(\.|[A-Za-z0-9_/-]+(\.[A-Za-z0-9_/-]+)*\.?)$/.test(zone), `${show(zone)} is not a zone`),
      ]),
      ...this.ofDirectives("blocks", directives, undefined),
    ];
  }

  /** @param ours What the block has already; undefined: a block of its own. */
  private ofDirectives(
    part: AdditionPart,
    directives: readonly WrittenDirective[],
    ours: readonly Directive[] | undefined,
  ): Problem[] {
    return directives
      .flatMap((each, i) => {
        const before = directives.slice(0, i).some(({ name }) => name === each.name);
        return this.ofDirective(each, before, ours).map((message) => this.at(part, each.at, message));
      })
      .concat(
        directives.flatMap((each) => [...this.targets(part, each), ...this.needed(part, each, ours ?? directives)]),
      );
  }

  private ofDirective(directive: WrittenDirective, isAgain: boolean, ours: readonly Directive[] | undefined): string[] {
    const { name, args } = directive;
    if (name === "import") return ["import reads a file, which the pods do not have; write its text here"];
    const unwritable = textsOf(directive).filter((text) => !isArgument(text));
    if (unwritable.length > 0)
      return [
        `${show(unwritable[0])} cannot be printed: variables, lone braces and control characters are not accepted`,
      ];
    if (this.read.plugins.includes(name)) return [];
    const rule = pluginRule(name);
    if (!rule)
      return [
        `${name} is no plugin of CoreDNS ${defaults.authoritativeDNS.image.split(":")[1]}${suggest(name, Object.keys(plugins))}; one of an image of your own is named in ${this.component}.corefile.plugins`,
      ];
    // What ours has in the same words takes nothing away.
    const common = ours ?? this.ours.flatMap((block) => block.plugins);
    if (common.some((each) => lineOf(each) === lineOf(directive))) return [];
    const key = keyFor(directive);
    if (key && ours?.some((each) => keyFor(each) === key)) return [`${name} says what ${key} says; keep one`];
    if (rule.whose === "refused") return [`${name} ${rule.instead}`];
    const files = this.files(directive);
    if (files.length > 0) return files;
    if (rule.whose === "block" && ours)
      return [
        `${name} cannot be added to a block of ours: ${rule.instead ? `use ${rule.instead}, or ` : ""}write a block of its own into blocks`,
      ];
    if (rule.asksApi && this.component === "nodeLocalDNS")
      return [`${name} asks the API server, which the pods of the cache may not; add it to authoritativeDNS.corefile`];
    const engine = this.component === "nodeLocalDNS" ? this.cluster?.queryPath?.engine : undefined;
    if (engine === "node-cache" && !nodeCachePlugins.includes(name))
      return [`${name} is not in k8s-dns-node-cache; accepted: ${nodeCachePlugins.join(", ")}`];
    const isTaken = ours?.some((each) => each.name === name) === true && !rule.replaces;
    return [
      ...(!rule.repeats && (isAgain || isTaken) ? [`${name} is already in this block; a block has it once`] : []),
      ...(isCount(args.length, rule.args)
        ? []
        : [`${name} has ${args.length} arguments; accepted: ${inWords(rule.args)}`]),
      ...(rule.argsOrOptions && args.length > 0 && directive.options.length > 0
        ? [`${name} has arguments and options, and CoreDNS passes the options over; write all into the braces`]
        : []),
      ...directive.options.flatMap((option) => this.ofOption(directive, option)),
    ];
  }

  private ofOption({ name }: WrittenDirective, option: WrittenDirective): string[] {
    const rule = pluginRule(name);
    if (!rule || (name === "hosts" && parseServer(option.name))) return [];
    const count = own(rule.options, option.name);
    const accepted = Object.keys(rule.options);
    if (!count)
      return [
        `${name} has no option ${option.name}${suggest(option.name, accepted)}${accepted.length > 0 ? `; accepted: ${accepted.join(", ")}` : ""}`,
      ];
    return isCount(option.args.length, count)
      ? []
      : [`${name}: ${option.name} has ${option.args.length} arguments; accepted: ${inWords(count)}`];
  }

  /** The default image has no files but the Corefile. */
  private files({ name, args, options }: WrittenDirective): string[] {
    const rule = pluginRule(name);
    const from = rule?.readsFile;
    const file = typeof from === "number" ? args[from] : options.find((each) => each.name === from)?.args.find(isPath);
    const hasOwnImage = this.props[this.component]?.image !== undefined;
    return file === undefined || file === "/dev/null" || hasOwnImage
      ? []
      : [
          `${name} reads ${show(file)}, which the pods do not have; ${typeof from === "number" && rule?.instead ? `use ${rule.instead}, or ` : ""}set ${this.component}.image to an image that has it`,
        ];
  }

  /** @param all The plugins of its block. */
  private needed(part: AdditionPart, { name, args, at }: WrittenDirective, all: readonly Directive[]): Problem[] {
    // `autopath @kubernetes` looks for that plugin in its own block.
    const needs = pluginRule(name)?.needs ?? args.find((each) => each.startsWith("@"))?.slice(1);
    return needs === undefined || all.some((each) => each.name === needs)
      ? []
      : [this.at(part, at, `${name} needs ${needs} in its block; write it where that is`)];
  }

  /** Where a block of its own asks. */
  private targets(part: AdditionPart, { name, args, options, at }: WrittenDirective): Problem[] {
    if (part !== "blocks" || (name !== "forward" && name !== "grpc")) return [];
    // Names are asked of `resolver`; a file is one such as /etc/resolv.conf.
    const mayHaveNames = options.some((each) => each.name === "resolver");
    const servers = args
      .slice(1)
      .filter((each) => !/^(\/|https:\/\/)/.test(each))
      // The name of a server over TLS may stand behind it.
      .map((each) => each.replace(/^\w+:\/\//, "").replace(/%[^:\]]+/, ""))
      .filter((each) => parseServer(each) || !mayHaveNames);
    return servers.flatMap((server) =>
      serverProblems(this.said, server, []).map(({ message }) => this.at(part, at, `${name}: ${message}`)),
    );
  }

  private at(part: AdditionPart, within: Position | undefined, message: string): Problem {
    return { path: [this.component, "corefile", part], at: "value", message, ...(within && { within }) };
  }
}

/** Of `key file NAME`. */
function isPath(text: string): boolean {
  return text !== "file";
}

function textsOf({ name, args, options }: WrittenDirective): string[] {
  return [name, ...args, ...options.flatMap(textsOf)];
}

function isCount(n: number, [least, most]: Count): boolean {
  return n >= least && n <= most;
}

function inWords([least, most]: Count): string {
  if (most === Infinity) return `at least ${least}`;
  return least === most ? (most === 0 ? "none" : `${most}`) : `${least} to ${most}`;
}
