import { parseCorefile } from "../model/corefile/parse";

/**
 * The text of objects: as kubectl printed it, or around a Corefile alone.
 * @throws Error if it is neither.
 */
export function objectsOf(given: string): string {
  if (given.trimStart().startsWith("{")) return given;
  try {
    if (parseCorefile(given).length === 0) throw new Error("it has no server block");
  } catch (error) {
    const { message } = error as Error;
    const isYAML = /^(apiVersion|kind|items|data):/m.test(given);
    throw new Error(
      isYAML
        ? "is YAML, which is not read: get the same with kubectl's -o json"
        : `is neither JSON, as kubectl prints with -o json, nor a Corefile: ${message}`,
      { cause: error },
    );
  }
  return JSON.stringify(aroundCorefile(given));
}

/** A Corefile where kubeadm has it, without the pods, whose other files are not known. */
function aroundCorefile(corefile: string): object {
  const metadata = { name: "coredns", namespace: "kube-system", labels: { "k8s-app": "kube-dns" } };
  return {
    apiVersion: "v1",
    kind: "List",
    items: [{ apiVersion: "v1", kind: "ConfigMap", metadata, data: { Corefile: corefile } }],
  };
}
