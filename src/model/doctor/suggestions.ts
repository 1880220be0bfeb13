import { clusterDns, inContext, kubectl as kubectlOf, printCommand, type ShellCommand } from "../command";
import type { KubernetesObject } from "../kubernetes/object";
import { namespace } from "../object-names";
import type { Sparse } from "../syntax/sparse";

/** A command, or, in words, what only a person can do. */
export type Suggestion = ShellCommand | string;

export type Suggestions = Sparse<Suggestion>;

/** ``kubectl`get pod ${name} -o yaml` ``: a value stays within its argument, whatever it holds. */
export const kubectl = within(undefined);

/** The same in kube-system. */
export const system = within(namespace);

/** The same in an object's namespace, if it has one. */
export function beside({ metadata }: Pick<KubernetesObject, "metadata">) {
  return within(metadata.namespace);
}

/** Shows what a path of the API server answers, or that a program behind it hangs. */
export function raw(path: string): ShellCommand {
  return kubectl`get --raw ${path} --request-timeout=5s`;
}

type Named = Pick<KubernetesObject, "kind" | "metadata">;

/** Something about one object: `about(pod, "delete", "--force")`. */
export function about(object: Named, verb: string, ...flags: readonly string[]): ShellCommand {
  return inNamespace([...verb.split(" "), object.kind.toLowerCase(), object.metadata.name, ...flags], object.metadata);
}

/** Shows an object. */
export function look(object: Named): ShellCommand {
  return about(object, "get", "-o", "yaml");
}

/** @param change By default, RFC 6902. */
export function patching(object: Named, change: object, type: "json" | "merge" = "json"): ShellCommand {
  return about(object, "patch", `--type=${type}`, "-p", JSON.stringify(change));
}

function within(name: string | undefined) {
  return (texts: TemplateStringsArray, ...values: readonly string[]) =>
    inNamespace(split(texts, values), { namespace: name });
}

function inNamespace(args: readonly string[], { namespace: name }: { readonly namespace?: string | undefined }) {
  return kubectlOf(...args, ...(name === undefined ? [] : ["-n", name]));
}

/** A command of a node, which somebody runs there. */
export function onNode(comment: string): (texts: TemplateStringsArray, ...values: readonly string[]) => ShellCommand {
  return (texts, ...values) => {
    const [program = "", ...args] = split(texts, values);
    return { program, args, comment };
  };
}

/** A command with a remark for whoever runs it. */
export function noted(command: ShellCommand, comment: string): ShellCommand {
  return { ...command, comment };
}

/** A command of ours that asks the cluster. */
export function asking(...args: readonly string[]): ShellCommand {
  return { ...clusterDns(...args), endsWithContext: true };
}

/** A suggestion as it is printed, for the cluster of a context of the kubeconfig. */
export function printSuggestion(step: Suggestion, context: string | undefined): string {
  return typeof step === "string" ? `# ${step}` : printCommand(inContext(step, context));
}

function split(texts: TemplateStringsArray, values: readonly string[]): string[] {
  const words = [""];
  texts.forEach((text, i) => {
    const [first = "", ...more] = text.split(" ");
    words.push(`${words.pop()}${first}`, ...more);
    if (i < values.length) words.push(`${words.pop()}${values[i]}`);
  });
  return words.filter((word) => word !== "");
}
