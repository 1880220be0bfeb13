import { zonesOfNamespaces } from "../cluster/zone-owners";
import { expression, type Kind } from "../corefile/argument-kinds";
import { hasView, isOf, readAdditions, type AdditionPart, type Component, components } from "../corefile/additions";
import { authoritativeCorefile } from "../corefile/authoritative";
import type { Corefile, Directive, Position, WrittenBlock, WrittenDirective } from "../corefile/corefile";
import { lineOf } from "../corefile/line";
import { healthZone, nodeLocalDnsCorefile } from "../corefile/node-local-dns";
import type { OutsideNames } from "../corefile/outside-names";
import type { Arguments, PluginRule } from "../corefile/plugin-rule";
import { plugins } from "../corefile/plugin-table";
import { keyFor, nodeCachePlugins, pluginRule } from "../corefile/plugins";
import { isArgument } from "../corefile/render";
import { nameOfKey, zonesIn, zonesOf } from "../corefile/server-key";
import type { Cluster } from "../cluster/cluster";
import { defaults } from "../defaults";
import type { FullProps } from "../full-props/fill-in";
import type { ClusterDnsProps } from "../props/cluster-dns";
import { parseServer } from "../syntax/addresses";
import { own } from "../syntax/mapping";
import type { Problem } from "../syntax/problem";
import { show } from "../syntax/show";
import { suggest } from "../syntax/suggest";
import { serverFault, zonesOfCluster } from "./outside-names";
import { about, type Given } from "./report";

/** Additions that CoreDNS would refuse, or that take something away that ours needs. */
export function corefileRules({ props, cluster, said }: Given): Problem[] {
  return components.flatMap((component) => {
    if (!props[component]?.corefile) return [];
    const ours = cluster && oursOf(cluster)[component];
    if (!ours)
      return about([component, "corefile"]).when(
        cluster !== undefined,
        component === "authoritativeDNS"
          ? "needs our Corefile, but authoritativeDNS.kind is Existing; write it there, and name the zones in nodeLocalDNS.askClusterDNS"
          : "is for a node cache, and this cluster has none",
      );
    return new Additions(props, said, component, cluster, ours).problems();
  });
}

/** Without additions, nor what a file with mistakes may have in part: such parts have blocks of their own, or are rules. */
function oursOf(cluster: Cluster): { readonly [component in Component]: Corefile | undefined } {
  const { authoritativeDns: dns, nodeLocalDns: cache } = cluster.components;
  const unsound = { rewrites: undefined, zones: undefined, tenancy: undefined, federation: undefined };
  const sound = <Names extends { readonly outside: OutsideNames }>(names: Names) => ({
    ...names,
    outside: { ...names.outside, stubDomains: [] },
    additions: undefined,
  });
  return {
    authoritativeDNS: dns && authoritativeCorefile({ ...sound(dns.names), ...unsound }),
    nodeLocalDNS: cache && nodeLocalDnsCorefile({ ...cache, names: sound(cache.names) }),
  };
}

class Additions {
  private readonly read;
  private readonly domain;

  constructor(
    private readonly props: ClusterDnsProps,
    private readonly said: FullProps,
    private readonly component: Component,
    private readonly cluster: Cluster,
    private readonly ours: Corefile,
  ) {
    this.read = readAdditions(said[component].corefile);
    this.domain = said.clusterDomain;
  }

  problems(): Problem[] {
    const { clusterNames, otherNames, blocks, errors } = this.read;
    return [
      ...Object.entries(errors).map(([part, { at, message }]) => this.at(part as AdditionPart, at, message)),
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
    const all = [
      ...this.ours.flatMap(({ keys }) => keys.map(({ zone }) => zone)),
      ...zonesOfCluster(this.domain),
      ...(this.component === "authoritativeDNS" ? zonesOfNamespaces(this.said) : []),
      ...Object.keys(stubDomains),
      ...Object.keys(others),
    ];
    const known = new Set(all.flatMap(zonesOf));
    const before = new Set<string>();
    return blocks.flatMap((block) => {
      const fault = zonesFault(block, known, before);
      if (!hasView(block)) for (const zone of zonesIn(block)) before.add(zone);
      return [
        ...(fault === undefined ? [] : [this.at("blocks", block.at ?? { line: 1, column: 1 }, fault)]),
        ...this.ofDirectives("blocks", block.plugins, undefined),
      ];
    });
  }

  /** @param ours What the block has already; undefined: a block of its own. */
  private ofDirectives(
    part: AdditionPart,
    directives: readonly WrittenDirective[],
    ours: readonly Directive[] | undefined,
  ): Problem[] {
    return directives.flatMap((each, i) => {
      const isAgain = directives.findIndex(({ name }) => name === each.name) < i;
      const fault =
        this.directiveFault(each, isAgain, ours) ??
        (part === "blocks" ? this.serverFault(each, directives) : undefined) ??
        neighbourFault(each, ours ?? directives);
      return fault === undefined ? [] : [this.at(part, each.at, fault)];
    });
  }

  private directiveFault(
    directive: WrittenDirective,
    isAgain: boolean,
    ours: readonly Directive[] | undefined,
  ): string | undefined {
    const { name } = directive;
    if (name === "import") return "import reads a file, which the pods do not have; write its text here";
    const unwritable = textsOf(directive).find((text) => !isArgument(text));
    if (unwritable !== undefined)
      return `${show(unwritable)} cannot be printed: variables, lone braces and control characters are not accepted`;
    if (this.read.plugins.includes(name)) return undefined;
    const rule = pluginRule(name);
    if (/[.:]/.test(name))
      return `${name} begins a server block, and here is the inside of one; write its plugins here, or the block into blocks`;
    if (!rule) return noPlugin(name, this.component);
    // What ours has in the same words takes nothing away.
    const common = ours ?? this.ours.flatMap((block) => block.plugins);
    if (common.some((each) => lineOf(each) === lineOf(directive))) return undefined;
    const key = keyFor(directive);
    if (key && ours?.some((each) => keyFor(each) === key)) return `${name} says what ${key} says; keep one`;
    if (rule.whose === "refused") return `${name} ${rule.instead}`;
    const fault = this.fileFault(directive, rule) ?? this.placeFault(name, rule, ours !== undefined);
    if (fault !== undefined) return fault;
    const isTaken = ours?.some((each) => each.name === name) === true && !rule.replaces;
    if (!rule.repeats && (isAgain || isTaken)) return `${name} is already in this block; a block has it once`;
    return argumentFault(directive, rule);
  }

  /** The default image has no files but the Corefile. */
  private fileFault({ name, args, options }: WrittenDirective, rule: PluginRule): string | undefined {
    const from = rule.readsFile;
    // Of `key file NAME`, the name.
    const file =
      typeof from === "number"
        ? args[from]
        : options.find((each) => each.name === from)?.args.find((text) => text !== "file");
    const hasOwnImage = this.props[this.component]?.image !== undefined;
    if (file === undefined || file === "/dev/null" || hasOwnImage) return undefined;
    const instead = typeof from === "number" && rule.instead ? `use ${rule.instead}, or ` : "";
    return `${name} reads ${show(file)}, which the pods do not have; ${instead}set ${this.component}.image to an image that has it`;
  }

  /** Why a plugin cannot be in this block, or in this component. */
  private placeFault(name: string, rule: PluginRule, isBlockOfOurs: boolean): string | undefined {
    if (this.component === "nodeLocalDNS" && rule.asksApi)
      return `${name} asks the API server, which the pods of the cache may not; add it to authoritativeDNS.corefile${rule.whose === "block" ? ", in a block of its own" : ""}`;
    if (rule.whose === "block" && isBlockOfOurs)
      return `${name} cannot be added to a block of ours: ${rule.instead ? `use ${rule.instead}, or ` : ""}write a block of its own into blocks`;
    if (this.component !== "nodeLocalDNS") return undefined;
    return this.cluster.queryPath?.engine === "node-cache" && !nodeCachePlugins.includes(name)
      ? `${name} is not in k8s-dns-node-cache; accepted: ${nodeCachePlugins.join(", ")}`
      : undefined;
  }

  /** What is wrong with a server that a block of its own asks. */
  private serverFault(
    { name, args, options }: WrittenDirective,
    beside: readonly WrittenDirective[],
  ): string | undefined {
    if (!pluginRule(name)?.asksServers) return undefined;
    // Names that become other ones may be asked of the cluster's own DNS, which answers those in another block.
    const isRenamed = this.component === "authoritativeDNS" && beside.some((each) => each.name === "rewrite");
    const isOwn = (server: string) => this.props.clusterDNS?.includes(parseServer(server)?.address ?? "") === true;
    // Names are asked of `resolver`; a file is one such as /etc/resolv.conf.
    const mayHaveNames = options.some((each) => each.name === "resolver");
    const servers = args
      .slice(1)
      .filter((each) => !/^(\/|https:\/\/)/.test(each))
      // The name of a server over TLS may stand behind it.
      .map((each) => each.replace(/^\w+:\/\//, "").replace(/%[^:\]]+/, ""))
      .filter((each) => (parseServer(each) ? !(isRenamed && isOwn(each)) : !mayHaveNames));
    const [fault] = servers.flatMap((server) => serverFault(this.said, server) ?? []);
    return fault && `${name}: ${fault}`;
  }

  private at(part: AdditionPart, within: Position | undefined, message: string): Problem {
    return { path: [this.component, "corefile", part], at: "value", message, ...(within && { within }) };
  }
}

/** The one that the table of plugins is of. */
export const ourCoreDns = `CoreDNS ${defaults.authoritativeDNS.image.split(":")[1]}`;

export function noPlugin(name: string, component: Component): string {
  return `${name} is no plugin of ${ourCoreDns}${suggest(name, Object.keys(plugins))}; one of an image of your own is named in ${component}.corefile.plugins`;
}

/** @param known Zones that blocks of ours answer. @param before Those of blocks above. */
function zonesFault(block: WrittenBlock, known: ReadonlySet<string>, before: ReadonlySet<string>): string | undefined {
  const { keys } = block;
  if (keys.length === 0 || keys.some(({ zone }) => zone.includes("$"))) return "has no zone that can be read";
  const listener = keys.find((key) => key.transport !== "dns" || key.port !== 53);
  if (listener) return `${nameOfKey(listener)} is another listener; accepted: zones without a scheme, on port 53`;
  const zones = zonesIn(block);
  for (const [i, zone] of zones.entries()) {
    if (known.has(zone) && !hasView(block))
      return `${zone} is answered by a block of ours; write plugins into clusterNames or otherNames, or add a view`;
    if (zone === healthZone && hasView(block))
      return `${zone} tells the kubelet and the watchdog which cache answers; leave it to ours`;
    if (before.has(zone) && !hasView(block)) return `${zone} has a block above; keep one`;
    if (zones.indexOf(zone) < i) return `${zone} is said twice for this block; keep one`;
    if (!/^(\.|[A-Za-z0-9_/-]+(\.[A-Za-z0-9_/-]+)*\.?)$/.test(zone)) return `${show(zone)} is not a zone`;
  }
  return undefined;
}

/** Whether a plugin lacks another of its block. @param all The plugins of its block. */
function neighbourFault({ name, args }: WrittenDirective, all: readonly Directive[]): string | undefined {
  // `autopath @kubernetes` looks for that plugin in its own block.
  const needs = pluginRule(name)?.needs ?? args.find((each) => each.startsWith("@"))?.slice(1);
  return needs === undefined || all.some((each) => each.name === needs)
    ? undefined
    : `${name} needs ${needs} in its block; write it where that is`;
}

/** Why CoreDNS refuses what a plugin says by itself. */
export function argumentFault(directive: WrittenDirective, rule: PluginRule): string | undefined {
  const { name, args, options } = directive;
  if (rule.argsOrOptions && args.length > 0 && options.length > 0)
    return `${name} has arguments and options, and CoreDNS passes the options over; write all into the braces`;
  // Below its fallthrough, CoreDNS takes no entry (hosts/setup.go).
  const passes = options.map((option) => option.name).indexOf("fallthrough");
  const isEntry = (option: string, i: number) => rule.hasEntries && parseServer(option) && (passes < 0 || i < passes);
  const known = options.filter((option, i) => !isEntry(option.name, i));
  const lines = [args, ...options.map(textsOf)];
  const faults = [
    ofArguments(name, args, rule.args),
    ...known.map((option) => optionFault(name, option, rule)),
    ...lines.flatMap((words) => matchFault(name, words, rule)),
    ...expressionsIn(lines, rule).map((text) => misfit(name, text, expression)),
  ];
  return faults.find((fault) => fault !== undefined);
}

function optionFault(plugin: string, { name, args }: WrittenDirective, rule: PluginRule): string | undefined {
  const taken = own(rule.options, name);
  if (taken) return ofArguments(`${plugin}: ${name}`, args, taken);
  const accepted = Object.keys(rule.options);
  return `${plugin} has no option ${name}${suggest(name, accepted)}; accepted: ${accepted.join(", ") || "none"}`;
}

function ofArguments(of: string, args: readonly string[], [least, most, ...kinds]: Arguments): string | undefined {
  if (args.length < least || args.length > most)
    return `${of} has ${args.length} arguments; accepted: ${inWords(least, most)}`;
  return args.map((text, i) => misfit(of, text, kinds[i] ?? kinds.at(-1))).find((fault) => fault !== undefined);
}

function misfit(of: string, text: string, kind: Kind | undefined): string | undefined {
  return kind === undefined || kind.accepts(text) ? undefined : `${of} has ${show(text)}; accepted: ${kind.what}`;
}

function matchFault(plugin: string, words: readonly string[], { matches }: PluginRule): string | undefined {
  // Whether other rules follow, or the part that is matched.
  const [part, match = "", ...others] = words[0] === "stop" || words[0] === "continue" ? words.slice(1) : words;
  const isMatched = matches && part === matches.part && others.length >= 2;
  if (!isMatched || matches.accepted.includes(match.toLowerCase())) return undefined;
  return `${plugin} ${part} has ${show(match)}; accepted: ${matches.accepted.join(", ")}, or two names alone`;
}

function expressionsIn(lines: readonly (readonly string[])[], { beforeExpression = [] }: PluginRule): string[] {
  const isBehind = (words: readonly string[]) =>
    beforeExpression.some((before) => before.every((word, i) => words.at(i - before.length) === word));
  return lines.flatMap((words) => words.filter((_, i) => isBehind(words.slice(0, i))));
}

function textsOf({ name, args, options }: WrittenDirective): string[] {
  return [name, ...args, ...options.flatMap(textsOf)];
}

function inWords(least: number, most: number): string {
  if (most === Infinity) return `at least ${least}`;
  return least === most ? (most === 0 ? "none" : `${most}`) : `${least} to ${most}`;
}
