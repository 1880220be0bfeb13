import { protocols, type Listener } from "../listener";
import { form, request } from "../match";
import { counters } from "./names";
import type { Match, Rule, SignOfCache, SignOfClusterDNS, SignOfLife, Statement } from "./types";

/**
 * How long each note lasts, in milliseconds: of the cache at an address, of the cluster DNS in a family.
 *
 * - `live`: the cache has just answered. A core that is shared, or the collector of garbage, takes a few milliseconds.
 * - `silent`: it has been asked, and has answered nobody since. Longer than the five seconds after which a resolver asks
 *   again, which must find the note; then one query tries the cache.
 * - `untried`: of those queries, none was sent to see whether it answers others: one is, before the next goes past it. Who
 *   asks again later has waited enough.
 * - `hung`: the cache has left two queries without an answer, and has answered nobody since. Once `silent` has ended, only
 *   one query at a time tries the cache.
 * - `past-live`: the cluster DNS has answered the cache, or somebody who went past it.
 * - `past-tried`: it has been asked, and has answered nobody since. What the cache still has is better than nothing.
 */
export const signsOfLife: {
  readonly cache: { readonly [sign in SignOfCache]: number };
  readonly clusterDNS: { readonly [sign in SignOfClusterDNS]: number };
} = {
  cache: { live: 30, silent: 8_000, untried: 2_000, hung: 60_000 },
  clusterDNS: { "past-live": 1_000, "past-tried": 60_000 },
};

/**
 * How long a server that has been quiet may take for an answer; `second`: the cache, for that of another query. It takes
 * a millisecond for what it has. With `live`, a hang is noticed after 90 ms.
 */
const answerMs = { cache: 50, second: 10, clusterDNS: 300 };

/**
 * When what is to be forgotten ends: kernels of before autumn 2023 never free the room of what a rule deletes (Linux
 * c92db3030492). The shortest time that every kernel can measure; `live` outlasts it.
 */
const soonMs = 10;

/**
 * Leads queries to the cache, and past it while it is silent: queries come, and no answer leaves. It notes nothing: a
 * firewall may yet drop the query. Whatever the notes say, a query goes one way or the other, and both have an answer
 * unless both servers fail.
 * @param toCache What leads there, whatever the cache does.
 * @param past Leads a query past the cache, and ends the chain.
 */
export function unlessSilent(listener: Listener, toCache: Rule, past: readonly Statement[]): Rule[] {
  const isSilent = { silent: true, untried: false } as const;
  const statements: Statement[] = [{ kind: "count", counter: counters.silent(listener) }, ...past];
  const goPast = (signs: Match["signs"]): Rule => ({
    match: { ...toCache.match, ...request(listener), signs: { ...isSilent, ...signs } },
    statements,
  });
  return [
    { match: { ...toCache.match, signs: { live: true } }, statements: toCache.statements },
    goPast({ "past-live": true }),
    goPast({ "past-tried": false }),
    toCache,
  ];
}

/**
 * Of a query that no firewall has dropped, on its way to the cache. A note for which there is no room ends the rule.
 * @param addresses Of the cache.
 */
export function cacheIsAsked(addresses: readonly string[]): Rule[] {
  return [
    { match: { signs: { live: true } }, statements: [{ kind: "return" }] },
    { match: { notDestination: addresses }, statements: [{ kind: "return" }] },
    ...protocols.flatMap((protocol): Rule[] => [
      {
        match: { ...form(protocol), signs: { silent: true, untried: true } },
        statements: [
          { kind: "update", sign: "untried", ms: soonMs },
          { kind: "add", sign: "live", ms: answerMs.second },
          { kind: "update", sign: "hung" },
        ],
      },
      {
        match: { ...form(protocol), signs: { silent: false, hung: false } },
        statements: [
          { kind: "add", sign: "live", ms: answerMs.cache },
          { kind: "update", sign: "untried" },
          { kind: "add", sign: "silent" },
        ],
      },
      // One query tries the cache. The others go on past it.
      {
        match: { ...form(protocol), signs: { silent: false } },
        statements: [
          { kind: "add", sign: "silent" },
          { kind: "update", sign: "hung" },
        ],
      },
    ]),
  ];
}

/** @param query That no firewall has dropped, on its way to the cluster DNS. */
export function clusterDNSIsAsked(query: Match): Rule {
  return {
    match: { ...query, signs: { "past-tried": false } },
    statements: [
      { kind: "add", sign: "past-tried" },
      { kind: "add", sign: "past-live", ms: answerMs.clusterDNS },
    ],
  };
}

/** @param answer Of the cache. */
export function cacheLives(answer: Match): Rule[] {
  return lives(answer, "live", ["silent", "hung"]);
}

/** @param answer Of the cluster DNS, to who went past the cache. */
export function clusterDNSLives(answer: Match): Rule[] {
  return lives(answer, "past-live", ["past-tried"]);
}

/** @param refusal Of a query of the node's own processes that no socket took: to try once more would be in vain. */
export function cacheIsGone(refusal: Match): Rule[] {
  return [
    {
      match: refusal,
      statements: [
        { kind: "add", sign: "silent" },
        { kind: "delete", sign: "untried" },
      ],
    },
    { match: refusal, statements: [{ kind: "delete", sign: "live" }] },
  ];
}

/** @param ended Forgotten, each only if it is noted: an update makes a note that is not there. */
function lives(answer: Match, live: SignOfLife, ended: readonly SignOfLife[]): Rule[] {
  return [
    { match: answer, statements: [{ kind: "update", sign: live }] },
    ...ended.map((sign): Rule => ({
      match: { ...answer, signs: { [sign]: true } },
      statements: [{ kind: "update", sign, ms: soonMs }],
    })),
  ];
}
