import type { Container, PodSpec } from "../kubernetes/kinds";

/** The container that reads a Corefile: CoreDNS's, or that of upstream's node-cache. */
export function coreDnsContainer({ containers }: Pick<PodSpec, "containers">): Container | undefined {
  return containers.find(
    ({ name, image = "", command = [], args = [] }) =>
      [name, image, ...command.slice(0, 1)].some((text) => /coredns|node-cache/.test(text)) ||
      args.some(isFlag("conf")),
  );
}

/**
 * Where the Corefile may be, the first that is there counts: CoreDNS's own is `Corefile` in its working directory, and
 * node-cache writes it from another one (kubernetes/dns cmd/node-cache/main.go).
 */
export function corefilePaths({ image = "", command = [], args = [], workingDir = "/" }: Container): string[] {
  const words = [...command, ...args];
  const valueOf = (name: string) => {
    const at = words.findLastIndex(isFlag(name));
    return words[at]?.includes("=") ? words[at].replace(/^[^=]*=/, "") : at < 0 ? undefined : words[at + 1];
  };
  const isNodeCache = image.includes("node-cache") || words.some(isFlag("localip"));
  const base = isNodeCache ? [valueOf("basecorefile") ?? "/etc/coredns/Corefile.base"] : [];
  return [...base, valueOf("conf") ?? "Corefile"].map((file) =>
    file.startsWith("/") ? file : `${workingDir.replace(/\/$/, "")}/${file}`,
  );
}

function isFlag(name: string): (word: string) => boolean {
  return (word) => new RegExp(`^--?${name}(=|$)`).test(word);
}
