import { defaults } from "../model/defaults";
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
    throw new Error(`is neither JSON, as kubectl prints with -o json, nor a Corefile: ${message}`, { cause: error });
  }
  return JSON.stringify(aroundCorefile(given));
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
