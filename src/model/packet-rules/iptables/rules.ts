import { leaving, type FamilyAddresses } from "../family-addresses";
import { listenersOn, type Listener } from "../listener";
import { canary, countedReply, countedRequest, foreign, limitedRequest, query, reply } from "../match";
import type { RuleInput } from "../rule-input";
import { chainName } from "./names";
import { chainsPastCache } from "./past-cache";
import type { Chain, FamilyChains, Match, Rule, Target } from "./types";

/**
 * The rules for iptables, per family. NOTRACK is the switch, as in KEP-1024, but after a socket match. Requests and
 * replies are accepted, in case a policy would drop them.
 */
export function iptablesRules(input: RuleInput, families: readonly FamilyAddresses[]): FamilyChains[] {
  const all = families.flatMap(({ listeners }) => listeners);
  return families.map((addresses) => ({
    family: addresses.family,
    chains: [
      ...(input.cache ? chainsOfCache(addresses, input) : [countQueries(addresses)]),
      ...chainsAlways(addresses),
      ...chainsPastCache(input, addresses, all),
    ],
  }));
}

const everything = { place: "first", jumps: [{ match: {} }] } as const;

function chainsOfCache(addresses: FamilyAddresses, { queryLimit }: RuleInput): Chain[] {
  const { listeners } = addresses;
  const queries = listeners.map(query);
  const replies = listeners.map(reply);
  return [
    {
      table: "raw",
      name: chainName,
      from: "PREROUTING",
      place: "first",
      jumps: queries.map((match) => ({ match })),
      rules: listeners.map(switchToCache),
    },
    {
      table: "filter",
      name: `${chainName}-OUT`,
      from: "OUTPUT",
      ...everything,
      rules: [
        ...rules(replies, "ACCEPT"),
        ...[...askingItself(addresses), ...leaving(addresses)].map((match) => ({
          match,
          target: { reject: match.protocol },
        })),
      ],
    },
    // Rules without a target only count. They come after routing, which drops forged sources, and before any firewall.
    {
      table: "mangle",
      name: `${chainName}-IN`,
      from: "INPUT",
      ...everything,
      rules: [
        ...(queryLimit === undefined ? [] : listeners.map((listener) => limit(listener, queryLimit))),
        ...listeners.map((listener): Rule => ({
          match: { ...countedRequest(listener), note: { list: "asked", listener } },
        })),
      ],
    },
    {
      table: "mangle",
      name: `${chainName}-POST`,
      from: "POSTROUTING",
      ...everything,
      rules: listeners.map((listener) => ({
        match: { ...countedReply(listener), note: { list: "answered", listener } },
      })),
    },
  ];
}

function limit(listener: Listener, above: number): Rule {
  return { match: { ...limitedRequest(listener), above }, target: "DROP" };
}

/**
 * Without a cache, only the jumps count who still asks, which a cleanup waits for: with service-ip nothing else would, and
 * table nat sees only the first packet of a flow.
 */
function countQueries({ linkLocal }: FamilyAddresses): Chain {
  const jumps = listenersOn(linkLocal).map((listener) => ({ match: query(listener) }));
  return { table: "raw", name: chainName, from: "PREROUTING", place: "first", jumps, rules: [] };
}

// The cache itself asks the service IP like any process of the node, and kube-proxy translates it in hook OUTPUT. While
// kube-proxy does nothing with that address, the cache would ask itself. Hook INPUT would be too late: what conntrack has
// once seen without a translation gets none for as long as it remembers it. What is not tracked may be for a node-cache on
// the service IP, after our cache.
function askingItself({ serviceIP: source, listeners }: FamilyAddresses) {
  return listeners
    .filter(({ address }) => address === source)
    .map((listener) => ({ source, ...query(listener), isNew: true }) as const);
}

function switchToCache(listener: Listener): Rule {
  return { match: { ...query(listener), socket: true }, target: "NOTRACK", whileOn: [listener] };
}

function chainsAlways(addresses: FamilyAddresses): Chain[] {
  const { probe, listeners, onLink, repliers, masqueraded } = addresses;
  const probes = listeners.map((listener) => ({ source: probe, ...query(listener) }));
  return [
    {
      table: "filter",
      name: `${chainName}-IN`,
      from: "INPUT",
      ...everything,
      rules: [...rules(listeners.map(query), "ACCEPT"), ...rules(onLink.flatMap(listenersOn).map(foreign), "DROP")],
    },
    {
      table: "raw",
      name: `${chainName}-OUT`,
      from: "OUTPUT",
      ...everything,
      rules: [...rules([canary(probe)], "DROP"), ...rules([...repliers.map(reply), ...probes], "NOTRACK")],
    },
    {
      table: "nat",
      name: `${chainName}-POST`,
      from: "POSTROUTING",
      ...everything,
      rules: rules(
        masqueraded.map((source) => ({ source, notToLoopback: true })),
        "MASQUERADE",
      ),
    },
  ];
}

function rules(matches: readonly Match[], target: Target): Rule[] {
  return matches.map((match) => ({ match, target }));
}
