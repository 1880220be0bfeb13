import { inContext, printCommand, type ShellCommand } from "../command";

/** What happens, or must be done, around the application of a change: typed, so that nothing decides by its words. */
export interface Step {
  readonly id: StepId;
  /** Before the change is applied (a GitOps controller: before the commit), by applying it, or after it. */
  readonly when: "before" | "with" | "after";
  /** Who does it: whatever applies objects, the kubelets' configuration, or somebody by hand. */
  readonly by: "controller" | "kubelet" | "person";
  /** What, and why, without the commands. */
  readonly text: string;
  /** In this order; each only if the one before it succeeded. */
  readonly commands: readonly ShellCommand[];
  /** Whether running pods lose answers, or something is left behind, unless it is done. */
  readonly isWarning?: true;
}

/** Each step has one: a program may rely on it, as on no text. */
export type StepId =
  // What running pods, kubelets and nodes rely on leaves.
  | "drain-first"
  | "kubelets-first"
  | "clean-nodes-first"
  | "move-dns-address"
  | "take-dns-address"
  | "reorder-dns-addresses"
  | "change-cluster-domain"
  | "leave-core-dns"
  | "leave-node-resolver"
  | "leave-flux"
  | "move-kustomizations"
  | "restore-cluster-file"
  | "correct-proxy-mode"
  | "configure-kubelets"
  // The whole cluster leaves us.
  | "clean-hosts-files"
  | "drain-cache"
  | "restart-pods"
  | "clean-nodes"
  | "remove-cache"
  | "end-controller"
  | "remove-admission"
  | "remove-components"
  | "restore-core-dns"
  | "remove-core-dns"
  | "remove-dns-service"
  | "remove-configurations"
  | "forget-cluster"
  // What a controller, or the API server, does not do with an object.
  | "apply-object"
  | "delete-object"
  | "delete-leftover"
  | "make-object-anew"
  | "widen-project"
  | "orphan-kustomization"
  | "own-replicas"
  | "delete-certificate"
  // What applying an object does.
  | "start-pods"
  | "replace-pods"
  | "end-pods"
  | "change-image"
  | "change-spread"
  | "interrupt-dns"
  | "lose-cache"
  | "replace-configuration"
  | "keep-replicas"
  | "keep-object"
  | "prune-components"
  | "issue-certificate"
  | "move-admission";

/** What must be done first, or lost answers or leftovers are the result. */
export function warning(id: StepId, text: string): Step {
  return { id, when: "before", by: "person", text, commands: [], isWarning: true };
}

/** What nothing else does. */
export function byHand(id: StepId, when: "before" | "after", text: string, ...commands: readonly ShellCommand[]): Step {
  return { id, when, by: "person", text, commands };
}

/** What follows from applying the change. */
export function effect(id: StepId, text: string): Step {
  return { id, when: "with", by: "controller", text, commands: [] };
}

/** The step in the cluster of a context of the kubeconfig. */
export function stepInContext<T extends Step>(step: T, context: string | undefined): T {
  return { ...step, commands: step.commands.map((command) => inContext(command, context)) };
}

/** `apply it after the commit: kubectl apply -f ...`, on one line. */
export function printStep({ text, commands }: Pick<Step, "text" | "commands">): string {
  return commands.length === 0 ? text : `${text}: ${commands.map(printCommand).join(" && ")}`;
}
