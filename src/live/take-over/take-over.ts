import { besideDefaults, inherited, type Part } from "../../config/beside-defaults";
import { valueAt } from "../../config/origin";
import { overlay } from "../../config/overlay";
import { type KubernetesObject } from "../../model/kubernetes/object";
import { type ClusterState } from "../../model/running/cluster-state";
import { evidenceOf, keptIn, answersToday } from "./evidence";
import { findingsOf, nodeCacheProps, renderable, withoutUsualResources } from "./propose";
import { withText } from "./as-text";
import { additions, different, past, todo, askedThere } from "./compare";

/** What taking a cluster's DNS over means. */
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
  ["past", "no longer for pods: the cluster's DNS keeps it, and the node cache does not ask it for these names"],
  ["todo", "to do besides"],
];

/**
 * Turns what a cluster's objects show into a description, renders it, and compares.
 * @param shared What the defaults file says, where the cluster file will be.
 * @throws Error if there is no object, or that names one that cannot be read.
 */
export function takeOver(state: ClusterState, shared: Part = {}): Takeover {
  const evidence = evidenceOf(state);
  if (evidence.objects.length === 0) throw new Error("has no object of a cluster");
  const kept = keptIn(evidence, shared);
  const today = answersToday(evidence, kept.isKept);
  const findings = findingsOf(evidence, kept, today, shared);
  const { known, own } = findings;
  const alone = besideDefaults(known, withoutUsualResources(own, shared), shared);
  const cache = nodeCacheProps(evidence, today, overlay(shared, alone) as Part);
  // A fleet chooses what its node caches keep.
  const passing = { ...alone, ...besideDefaults(overlay(cache, shared) as Part, cache, shared) };
  const asked = kept.isKept ? askedThere(evidence, today, renderable(overlay(shared, passing) as Part)) : {};
  const text = withText(overlay(passing, asked) as Part, shared, evidence, kept, today);
  const { description } = text;
  const rendered = renderable(overlay(shared, description) as Part);
  const topic = (name: Note["topic"], all: readonly string[]) =>
    [...new Set(all)].map((what): Note => ({ topic: name, what }));
  return {
    description,
    reasons: { ...kept.reasons, ...findings.reasons },
    notes: [
      ...topic("inherited", inherited(known, shared)),
      ...topic(
        "new",
        additions(evidence, kept, rendered, description, valueAt(asked, ["nodeLocalDNS", "askClusterDNS"])),
      ),
      ...topic("different", [...today.unread, ...(kept.isKept ? [] : different(evidence, today, rendered, text))]),
      ...topic("past", kept.isKept ? past(today, rendered) : []),
      ...topic("todo", todo(evidence, kept, today, rendered)),
    ],
    ours: evidence.ours,
  };
}
