import { leaving, type FamilyAddresses } from "../family-addresses";
import { includesListener, listenersOn, protocols, type Listener, type Switches } from "../listener";
import { canary, countedReply, countedRequest, foreign, limitedRequest, query, reply, request } from "../match";
import type { RuleInput } from "../rule-input";
import { cacheIsAsked, cacheIsGone, cacheLives, clusterDNSIsAsked, clusterDNSLives, unlessSilent } from "./hang";
import { counters } from "./names";
import {
  chainsOfNode,
  chainsPastCache,
  queryPastCache,
  rejectUntranslated,
  rewriteOfNode,
  rewritePastCache,
  type ChainPlan,
} from "./past-cache";
import type { Chain, Match, Rule, Statement } from "./types";

/** The rules for nftables: the same in every mode except for the path past the cache. */
export function nftRules(input: RuleInput, families: readonly FamilyAddresses[]): Chain[] {
  const plans: ChainPlan[] = [
    { hook: "prerouting", stage: "raw", rules: [fromLoopback, others("dport"), queriesOfPods] },
    { hook: "input", stage: "raw", rules: [others("dport"), limitRequests, countRequests] },
    {
      hook: "output",
      stage: "raw",
      rules: [
        noteRefusals,
        dropCanary,
        noteAnswers,
        repliesAndProbes,
        noteQueriesOfCache,
        queriesPastCache,
        queriesOfHost,
      ],
    },
    { hook: "input", stage: "filter", rules: [dropForeign] },
    { hook: "output", stage: "filter", rules: [rejectUntranslated, rejectLeaving] },
    { hook: "postrouting", stage: "nat", rules: [noteQueriesPastCache, masqueradeOwn, masqueradePastCache] },
    { hook: "postrouting", stage: "last", rules: [others("sport"), countReplies, noteAnswersPastCache] },
    { hook: "input", stage: "last", rules: [others("sport"), noteAnswersPastCache] },
    { hook: "input", stage: "delivered", rules: [others("dport"), noteQueries] },
    ...chainsPastCache(input),
  ];
  return chainsOf(plans, input, families);
}

/** Only the path that takes the node's own processes past the cache. */
export function nftRulesPastCache(input: RuleInput, families: readonly FamilyAddresses[]): Chain[] {
  const plans: ChainPlan[] = [
    { hook: "output", stage: "raw", rules: [queriesPastCache] },
    { hook: "postrouting", stage: "nat", rules: [masqueradePastCache] },
    ...chainsOfNode(input),
  ];
  return chainsOf(plans, input, families);
}

function chainsOf(plans: readonly ChainPlan[], input: RuleInput, families: readonly FamilyAddresses[]): Chain[] {
  return plans
    .map(({ rules, ...chain }) => ({
      ...chain,
      rules: rules.flatMap((make) =>
        families.flatMap((addresses) => make(addresses, input).map((rule) => ({ family: addresses.family, ...rule }))),
      ),
    }))
    .filter(({ rules }) => rules.length > 0);
}

const bypassConntrack: readonly Statement[] = [{ kind: "notrack" }, { kind: "return" }];

// A packet on the loopback has been through the output hook, where its path was decided.
function fromLoopback(): Rule[] {
  return [{ match: { fromLoopback: true }, statements: [{ kind: "return" }] }];
}

// Most of a node's packets are none of ours, and meet one rule in place of all. Not in hook output, where either port may
// be that of DNS: nft joins neighbouring fields to one comparison, which is not the same for what differs.
function others(notDNS: "sport" | "dport"): ChainPlan["rules"][number] {
  return ({ listeners }) => (listeners.length > 0 ? [{ match: { notDNS }, statements: [{ kind: "return" }] }] : []);
}

function queriesOfPods(addresses: FamilyAddresses, input: RuleInput): Rule[] {
  const { linkLocal, serviceIP, listeners } = addresses;
  const toCache = (listener: Listener) =>
    includesListener(listeners, listener) ? toCacheOf("pods", listener, past(listener, addresses, input)) : [];
  return protocols.flatMap((protocol) => [
    ...toCache({ address: linkLocal, protocol }),
    passCache({ address: linkLocal, protocol }, addresses, input),
    ...toCache({ address: serviceIP, protocol }),
  ]);
}

/**
 * To the cache unless it is silent, for pods if its socket exists: hook output cannot match sockets. For TCP, the packet
 * that opens the connection decides, and the connection is remembered: `own` misses the half-open socket of a handshake.
 * `any` alone would also match another program's wildcard socket, and would break connections with the cluster DNS the
 * moment the cache comes back.
 */
function toCacheOf(who: keyof Switches, listener: Listener, pastCache: readonly Statement[]): Rule[] {
  const match: Match = { ...query(listener), switch: who, ...(who === "host" && { watched: true }) };
  const [own, any]: Match[] = who === "pods" ? [{ socket: "own" }, { socket: "any" }] : [];
  if (listener.protocol === "udp")
    return unlessSilent(listener, { match: { ...match, ...own }, statements: bypassConntrack }, pastCache);
  const remember: Statement[] = [{ kind: "remember" }, ...bypassConntrack];
  return [
    ...unlessSilent(listener, { match: { ...match, opens: true, ...own }, statements: remember }, pastCache),
    { match: { ...match, remembered: true, ...any }, statements: remember },
  ];
}

function passCache(listener: Listener, addresses: FamilyAddresses, input: RuleInput): Rule {
  return { match: query(listener), statements: past(listener, addresses, input) };
}

// At the service IP, kube-proxy's rules are the way.
function past(listener: Listener, addresses: FamilyAddresses, input: RuleInput): Statement[] {
  if (listener.address !== addresses.linkLocal) return [{ kind: "return" }];
  const count: Statement = { kind: "count", counter: counters.past(listener) };
  return [count, ...rewritePastCache(addresses, input), { kind: "return" }];
}

// It is dropped whether or not there is room for the note.
function dropCanary({ probe }: FamilyAddresses): Rule[] {
  return [
    { match: canary(probe), statements: [{ kind: "note-watched" }] },
    { match: canary(probe), statements: [{ kind: "drop" }] },
  ];
}

function repliesAndProbes({ repliers, probe, listeners }: FamilyAddresses): Rule[] {
  const probes = listeners.map((listener) => ({ source: probe, ...query(listener) }));
  return [...repliers.map(reply), ...probes].map((match) => ({ match, statements: bypassConntrack }));
}

// Of pods, of the node's own processes and of the watchdog alike.
function noteQueries({ listeners }: FamilyAddresses): Rule[] {
  if (listeners.length === 0) return [];
  return cacheIsAsked([...new Set(listeners.map(({ address }) => address))]);
}

function noteAnswers({ listeners }: FamilyAddresses): Rule[] {
  return listeners.flatMap((listener) => cacheLives(answer(listener)));
}

// A firewall refuses pods' queries in the same words. So does kube-proxy, while the cluster DNS has no endpoint, what the
// node's own processes ask at the service IP without a watchdog, or over TCP, and what the cache and the watchdog ask.
function noteRefusals({ listeners, pastCache }: FamilyAddresses): Rule[] {
  const addresses = new Set(listeners.map(({ address }) => address));
  const refusal = { notDestination: [pastCache], toLoopback: true, watched: true, refuses: "udp" } as const;
  return [...addresses].flatMap((source) => cacheIsGone({ source, ...refusal }));
}

function noteQueriesPastCache(addresses: FamilyAddresses, input: RuleInput): Rule[] {
  return addresses.listeners.map((listener) => clusterDNSIsAsked(queryPastCache(listener, addresses, input)));
}

// Of the cache itself and of the watchdog, if the cache listens on the service IP. While the cluster DNS has no endpoint,
// kube-proxy refuses queries before they leave: then no other note says that the way past the cache leads nowhere.
function noteQueriesOfCache(addresses: FamilyAddresses): Rule[] {
  return askedByCache(addresses).map((listener) => clusterDNSIsAsked(request(listener)));
}

// Only what kube-proxy, or our own NAT, has led elsewhere is tracked.
function noteAnswersPastCache(addresses: FamilyAddresses): Rule[] {
  const asked = [...addresses.listeners, ...askedByCache(addresses)];
  return asked.flatMap((listener) => clusterDNSLives({ ...answer(listener), direction: "reply" }));
}

function askedByCache({ listeners, serviceIP, pastCache }: FamilyAddresses): Listener[] {
  return listeners.some(({ address }) => address === serviceIP) ? listenersOn(pastCache) : [];
}

// What only a server itself can send: over TCP, the kernel accepts and resets connections without it.
function answer(listener: Listener): Match {
  return { ...reply(listener), ...(listener.protocol === "tcp" && { pushes: true }) };
}

// Matching the source excludes everyone else: only the node's own queries to this address have it.
function queriesPastCache(addresses: FamilyAddresses, input: RuleInput): Rule[] {
  const { pastCache: source } = addresses;
  return listenersOn(source).map((listener) => ({
    match: { source, ...query(listener) },
    statements: [...rewriteOfNode(addresses, input), { kind: "return" }],
  }));
}

// What shows a hang shows a dead cache as well. The switch counts only while a watchdog is there to turn it. There is no
// rule for TCP to the service IP: a cache configured for our other rules asks the cluster DNS there, and would ask itself.
function queriesOfHost(addresses: FamilyAddresses, input: RuleInput): Rule[] {
  const { linkLocal, serviceIP, listeners } = addresses;
  const led = listeners.filter(({ address, protocol }) => !(address === serviceIP && protocol === "tcp"));
  return [
    ...led.flatMap((listener) => toCacheOf("host", listener, past(listener, addresses, input))),
    ...listenersOn(linkLocal).map((listener) => passCache(listener, addresses, input)),
  ];
}

function dropForeign({ onLink }: FamilyAddresses): Rule[] {
  return onLink.flatMap(listenersOn).map((address) => ({ match: foreign(address), statements: [{ kind: "drop" }] }));
}

function rejectLeaving(addresses: FamilyAddresses): Rule[] {
  return leaving(addresses).map((match) => ({
    match,
    statements: [{ kind: "reject", protocol: match.protocol }],
  }));
}

function masqueradeOwn({ masqueraded }: FamilyAddresses): Rule[] {
  return masqueraded.map(masquerade);
}

function masqueradePastCache({ pastCache }: FamilyAddresses): Rule[] {
  return [masquerade(pastCache)];
}

function masquerade(source: string): Rule {
  return { match: { source, notToLoopback: true }, statements: [{ kind: "masquerade" }] };
}

// After routing, which drops forged sources: who forges one would take from another's limit.
function limitRequests({ listeners }: FamilyAddresses, { queryLimit }: RuleInput): Rule[] {
  if (queryLimit === undefined) return [];
  return listeners.map((listener) => ({
    match: limitedRequest(listener),
    statements: [
      { kind: "limit", perSecond: queryLimit },
      { kind: "note-limited" },
      { kind: "count", counter: counters.limited(listener) },
      { kind: "drop" },
    ],
  }));
}

// After routing, which drops forged sources, and before any firewall. A full set ends the rule, so the set comes last.
function countRequests({ listeners }: FamilyAddresses): Rule[] {
  return listeners.map((listener) => ({
    match: countedRequest(listener),
    statements: [
      { kind: "count", counter: counters.requests(listener) },
      { kind: "note", set: "asked" },
    ],
  }));
}

function countReplies({ listeners }: FamilyAddresses): Rule[] {
  return listeners.map((listener) => ({
    match: countedReply(listener),
    statements: [
      { kind: "count", counter: counters.replies(listener) },
      { kind: "note", set: "answered" },
    ],
  }));
}
