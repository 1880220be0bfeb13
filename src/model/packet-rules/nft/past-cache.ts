import { proxyMode } from "../../query-path/proxy-modes";
import type { FamilyAddresses } from "../family-addresses";
import { listenersOn, type Listener } from "../listener";
import { form, query, reply } from "../match";
import type { RuleInput } from "../rule-input";
import type { Chain, Match, Rule, Statement } from "./types";

/** A chain, and the functions that make its rules for each family. */
export interface ChainPlan extends Omit<Chain, "rules"> {
  readonly rules: readonly ((addresses: FamilyAddresses, input: RuleInput) => Rule[])[];
}

/**
 * What happens, before conntrack, to a query to the link-local address that no cache takes. `translate` changes its
 * destination to the service IP, so that kube-proxy in any mode sees an ordinary packet to the Service; a mark
 * identifies its replies, which get their old source back. `dnat` leaves it to our own NAT.
 */
export function rewritePastCache(addresses: FamilyAddresses, input: RuleInput): Statement[] {
  const rewrite = rewriteOfNode(addresses, input);
  return rewrite.length > 0 ? [{ kind: "set-mark", bit: input.markBit }, ...rewrite] : [];
}

/**
 * The same for a query from the node's own processes to `pastCache`. Its replies are recognized by their destination
 * and need no mark.
 */
export function rewriteOfNode({ serviceIP }: FamilyAddresses, input: RuleInput): Statement[] {
  return wayPastCache(input) === "translate" ? [{ kind: "set-destination", address: serviceIP }] : [];
}

/** A query of pods or of the node's own processes that has gone past a listener of the cache, once its path is known. */
export function queryPastCache({ address, protocol }: Listener, addresses: FamilyAddresses, input: RuleInput): Match {
  if (address === addresses.linkLocal && wayPastCache(input) === "translate")
    return { ...form(protocol), direction: "original", connectionMark: input.markBit };
  return { notSource: addresses.pastCache, ...form(protocol), openedTo: address };
}

/** The chains that such a query and its replies pass later. */
export function chainsPastCache(input: RuleInput): ChainPlan[] {
  switch (wayPastCache(input)) {
    case "translate":
      return [
        { hook: "prerouting", stage: "mangle", rules: [markConnection] },
        { hook: "output", stage: "mangle", rules: [markConnection] },
        { hook: "postrouting", stage: "after-nat", rules: [restoreSource] },
        { hook: "input", stage: "after-nat", rules: [restoreSourceOfNode, restoreRefused, restoreSource] },
      ];
    case "dnat":
      return [
        { hook: "prerouting", stage: "nat", rules: [dnat("linkLocal")] },
        { hook: "output", stage: "nat", rules: [dnat("linkLocal"), dnat("pastCache")] },
      ];
    case undefined:
      return [];
  }
}

/** The subset of these that queries from the node's own processes to `pastCache` pass. */
export function chainsOfNode(input: RuleInput): ChainPlan[] {
  switch (wayPastCache(input)) {
    case "translate":
      return [
        { hook: "output", stage: "filter", rules: [rejectUntranslated] },
        { hook: "input", stage: "after-nat", rules: [restoreSourceOfNode, restoreRefused] },
      ];
    case "dnat":
      return [{ hook: "output", stage: "nat", rules: [dnat("pastCache")] }];
    case undefined:
      return [];
  }
}

function wayPastCache(input: RuleInput) {
  return proxyMode(input).pastCache.nftables;
}

// An earlier query from the same port may have gone the other way, so every query sets or clears its connection's bit.
function markConnection({ serviceIP }: FamilyAddresses, { markBit: bit }: RuleInput): Rule[] {
  return listenersOn(serviceIP).flatMap((service): Rule[] => [
    {
      match: { ...query(service), connectionMark: bit, direction: "original" },
      statements: [{ kind: "clear-connection-mark", bit }],
    },
    {
      match: { ...query(service), mark: bit },
      statements: [
        { kind: "set-connection-mark", bit },
        { kind: "clear-mark", bit },
      ],
    },
  ]);
}

function restoreSource({ linkLocal, serviceIP }: FamilyAddresses, { markBit }: RuleInput): Rule[] {
  return listenersOn(serviceIP).map((service) => ({
    match: { ...reply(service), connectionMark: markBit, direction: "reply" },
    statements: [{ kind: "set-source", address: linkLocal }],
  }));
}

function restoreSourceOfNode({ pastCache, serviceIP }: FamilyAddresses): Rule[] {
  return listenersOn(serviceIP).map((service) => ({
    match: { ...reply(service), destination: pastCache },
    statements: [{ kind: "set-source", address: pastCache }],
  }));
}

// While the cluster DNS has no endpoint, kube-proxy refuses a connection to the service IP, which the cache has opened to
// another address. Over UDP, to send fails.
function restoreRefused({ pastCache, serviceIP }: FamilyAddresses): Rule[] {
  return [
    {
      match: { source: serviceIP, destination: pastCache, refuses: "tcp" },
      statements: [{ kind: "set-refused-destination", was: serviceIP, address: pastCache }],
    },
  ];
}

/**
 * While kube-proxy does nothing with the service IP, it may be an address of this node, and the cache would ask itself.
 * Refused before it leaves: what conntrack has once seen without a translation gets none for as long as it remembers it,
 * and the cache soon asks from that port again.
 */
export function rejectUntranslated({ pastCache, serviceIP }: FamilyAddresses, input: RuleInput): Rule[] {
  if (wayPastCache(input) !== "translate") return [];
  return listenersOn(serviceIP).map((service) => ({
    match: { source: pastCache, ...query(service) },
    statements: [{ kind: "reject", protocol: service.protocol }],
  }));
}

function dnat(from: "linkLocal" | "pastCache"): ChainPlan["rules"][number] {
  return ({ [from]: asked, serviceIP: address }) =>
    listenersOn(asked).map((listener) => ({ match: query(listener), statements: [{ kind: "dnat", address }] }));
}
