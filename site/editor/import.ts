import { defaults } from "../../src/model/defaults";
import { descriptionText } from "../../src/cli/first-file";
import { readState } from "../../src/live/read-state";
import { parseCorefile } from "../../src/model/corefile/parse";
import { noteTitles, takeOver } from "../../src/live/take-over/take-over";

/** What `init` makes of a cluster's objects. */
export type Imported =
  | { readonly problem: string }
  | { readonly text: string; readonly lists: readonly { readonly title: string; readonly items: readonly string[] }[] };

/** Reads what `kubectl get -o json` printed, or a Corefile alone, as `init --from` does. */
export function importText(pasted: string): Imported {
  try {
    const { description, reasons, notes } = takeOver(readState(objectsOf(pasted)));
    const lists = noteTitles.map(([topic, title]) => ({
      title,
      items: notes.filter((note) => note.topic === topic).map(({ what }) => what),
    }));
    return { text: descriptionText(description, reasons, []), lists: lists.filter(({ items }) => items.length > 0) };
  } catch (error) {
    return { problem: (error as Error).message };
  }
}

/** @throws Error if it is neither. */
function objectsOf(pasted: string): string {
  if (pasted.trimStart().startsWith("{")) return pasted;
  try {
    if (parseCorefile(pasted).length === 0) throw new Error("it has no server block");
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`is neither JSON, as kubectl prints with -o json, nor a Corefile: ${message}`, { cause: error });
  }
  return JSON.stringify(aroundCorefile(pasted));
}

/** A Corefile where kubeadm has it: in a ConfigMap that CoreDNS's pods mount. */
function aroundCorefile(corefile: string): object {
  const metadata = { name: "coredns", namespace: "kube-system", labels: { "k8s-app": "kube-dns" } };
  const volumes = [
    { name: "config-volume", configMap: { name: "coredns", items: [{ key: "Corefile", path: "Corefile" }] } },
  ];
  const container = {
    name: "coredns",
    // Its version is unknown; ours is no news.
    image: defaults.authoritativeDNS.image,
    args: ["-conf", "/etc/coredns/Corefile"],
    volumeMounts: [{ name: "config-volume", mountPath: "/etc/coredns" }],
  };
  const template = { metadata: { labels: metadata.labels }, spec: { containers: [container], volumes } };
  const selector = { matchLabels: metadata.labels };
  return {
    apiVersion: "v1",
    kind: "List",
    items: [
      { apiVersion: "v1", kind: "ConfigMap", metadata, data: { Corefile: corefile } },
      { apiVersion: "apps/v1", kind: "Deployment", metadata, spec: { selector, template } },
    ],
  };
}
