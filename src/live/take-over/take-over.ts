import { overlay, type Part } from "../../config/overlay";
import { type KubernetesObject } from "../../model/kubernetes/object";
import { type ClusterState } from "../../model/running/cluster-state";
import { dense, type Sparse } from "../../model/syntax/sparse";
import { survey } from "./evidence";
import { Fleet } from "./fleet";
import { propose } from "./propose";
import { withoutZones, withText } from "./as-text";
import { askedThere, findAdditions, findDifferent, findPast, findTodo } from "./compare";

export interface Takeover {
  /** What a cluster file says beside the defaults file, if there is one; not checked. */
  readonly description: Part;
  /** Why a key has its value, or why the objects do not show one. */
  readonly reasons: { readonly [key: string]: string };
  readonly notes: readonly Note[];
  /** Objects that were rendered from a cluster file of ours. */
  readonly ours: readonly KubernetesObject[];
}

export interface Note {
  /**
   * `inherited`: what the defaults file gives the cluster that it does not have. `new`: what it has only with the file.
   * `different`: what it has now, and does not have with the file. `past`: the same for names that a node cache does not
   * ask the cluster's own DNS for. `todo`: what else is to be done.
   */
  readonly topic: "inherited" | "new" | "different" | "past" | "todo";
  readonly what: string;
}

/** What a list of each topic's notes is called; DEFAULTS stands for the defaults file. */
export const noteTitles: readonly (readonly [topic: Note["topic"], title: string])[] = [
  ["inherited", "inherited from DEFAULTS, though the objects do not show it"],
  ["new", "new with it"],
  ["different", "left out: the cluster has it, and will not have it with this file"],
  ["past", "no longer for pods: the node cache that the file describes does otherwise"],
  ["todo", "to do besides"],
];

/** @param fleet Of the cluster file's folder. @throws Error if there is no object, or that names an unreadable one. */
export function takeOver(state: ClusterState, fleet = new Fleet({})): Takeover {
  const found = survey(state, fleet);
  const { isKept, unread, ours } = found;
  const { description: ofKeys, known, reasons } = propose(found);
  const { given, zones } = isKept ? askedThere(found, fleet.cluster(ofKeys)) : { given: {}, zones: [] };
  // Servers of a zone would be asked in the place of the cluster's own DNS.
  const text = withText(overlay(withoutZones(ofKeys, zones), given), found);
  const { description } = text;
  const rendered = fleet.cluster(description);
  const topics: { readonly [topic in Note["topic"]]: Sparse<string> } = {
    inherited: fleet.inherited(known),
    new: findAdditions(found, rendered, description, given),
    different: [unread, !isKept && findDifferent(found, rendered, text)],
    past: isKept && findPast(found, rendered),
    todo: findTodo(found, rendered),
  };
  return {
    description,
    reasons: { ...found.reasons, ...reasons },
    notes: noteTitles.flatMap(([topic]) => [...new Set(dense(topics[topic]))].map((what) => ({ topic, what }))),
    ours,
  };
}
