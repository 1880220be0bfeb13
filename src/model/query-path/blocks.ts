import { grouped } from "../syntax/grouped";
import type { Case, Trace } from "./trace";

export interface Block {
  readonly askers: readonly Case["asker"][];
  readonly protocols: readonly Case["protocol"][];
  readonly paths: readonly Path[];
}

/** One path, and the states of the cache in which queries take it; none if the state does not matter. */
export interface Path extends Pick<Trace, "hops" | "lostUntil"> {
  readonly states: readonly Case["cache"][];
}

/** Traces, joined where only the asker, the protocol or the cache's state differ. */
export function blocksOf(traces: readonly Trace[]): Block[] {
  const ofEach = grouped(traces, ({ asker, protocol }) => `${asker} ${protocol}`).map(([, group]) => ({
    asker: group[0].asker,
    protocol: group[0].protocol,
    paths: pathsOf(group),
  }));
  const ofAskers = grouped(ofEach, ({ asker, paths }) => JSON.stringify([asker, paths])).map(([, group]) => ({
    asker: group[0].asker,
    protocols: group.map(({ protocol }) => protocol),
    paths: group[0].paths,
  }));
  return grouped(ofAskers, ({ protocols, paths }) => JSON.stringify([protocols, paths])).map(([, group]) => ({
    ...group[0],
    askers: group.map(({ asker }) => asker),
  }));
}

function pathsOf(traces: readonly Trace[]): Path[] {
  const groups = grouped(traces, ({ hops, lostUntil }) => JSON.stringify([hops, lostUntil]));
  return groups.map(([, group]) => {
    const states = group.map(({ cache }) => cache).filter((state) => state !== "none");
    const { hops, lostUntil } = group[0];
    return { hops, ...(lostUntil !== undefined && { lostUntil }), states: groups.length === 1 ? [] : states };
  });
}

/** `pod, host process: UDP, TCP`: who asks, and how. */
export function headOf({ askers, protocols }: Block): string {
  return `${askers.map((asker) => inWords[asker] ?? asker).join(", ")}: ${protocols.join(", ")}`;
}

const inWords: { readonly [asker in Case["asker"]]?: string } = {
  cache: "the cache, for names of the cluster that it lacks",
  "older pod": "a pod that started with the cache's address",
};

/** `cache hung or dead`. */
export function stateOf({ states }: Path): string {
  return states.length === 0 ? "" : `cache ${states.join(" or ")}`;
}
