import { parseCorefile } from "../model/corefile/parse";
import type { WrittenCorefile } from "../model/corefile/corefile";
import { names } from "../model/object-names";
import { addressRange, familyOf } from "../model/syntax/addresses";
import { errorMessage } from "../model/syntax/error-message";

/** As kubectl printed them, or around a Corefile alone. @throws Error if it is neither. */
export function textOfObjects(given: string): string {
  if (areObjects(given)) return given;
  try {
    const corefile = parseCorefile(given);
    if (corefile.length === 0) throw new Error("it has no server block");
    return JSON.stringify({ apiVersion: "v1", kind: "List", items: around(given, corefile) });
  } catch (error) {
    const message = errorMessage(error);
    const isYAML = /^(apiVersion|kind|items|data):/m.test(given);
    throw new Error(
      isYAML
        ? "is YAML, which is not read: get the same with kubectl's -o json"
        : `is neither JSON, as kubectl prints with -o json, nor a Corefile: ${message}`,
      { cause: error },
    );
  }
}

export function areObjects(given: string): boolean {
  return given.trimStart().startsWith("{");
}

/** A Corefile where kubeadm, or the manifest of node-cache, has it. What other files there are is not known. */
function around(text: string, blocks: WrittenCorefile): object[] {
  const placed = (name: string, label: string) => ({ name, namespace: "kube-system", labels: { "k8s-app": label } });
  const configMap = (metadata: object) => ({ apiVersion: "v1", kind: "ConfigMap", metadata, data: { Corefile: text } });
  const all = blocks.flatMap(({ plugins }) => plugins);
  const bound = all.filter(({ name }) => name === "bind").flatMap(({ args }) => args);
  const own = bound.filter((address) => familyOf(address) && addressRange(address) === "linkLocal");
  const isCache = all.every(({ name }) => name !== "kubernetes") && (own.length > 0 || text.includes("__PILLAR__"));
  if (!isCache) return [configMap(placed("coredns", "kube-dns"))];
  const metadata = placed(names.nodeLocalDns, names.nodeLocalDns);
  const container = {
    name: "node-cache",
    args: [...(own.length > 0 ? ["-localip", own.join(",")] : []), "-conf", "/etc/Corefile"],
    volumeMounts: [
      { name: "config", mountPath: "/etc" },
      { name: "unknown", mountPath: "/" },
    ],
  };
  const volumes = [{ name: "config", configMap: { name: names.nodeLocalDns } }, { name: "unknown" }];
  const template = {
    metadata: { labels: metadata.labels },
    spec: { hostNetwork: true, containers: [container], volumes },
  };
  const selector = { matchLabels: metadata.labels };
  return [configMap(metadata), { apiVersion: "apps/v1", kind: "DaemonSet", metadata, spec: { selector, template } }];
}
