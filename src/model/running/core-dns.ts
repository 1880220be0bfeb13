import type { Container, PodSpec } from "../kubernetes/kinds";

/** The container that reads a Corefile: CoreDNS's, or that of upstream's node-cache. */
export function coreDnsContainer({ containers }: Pick<PodSpec, "containers">): Container | undefined {
  return containers.find(
    ({ name, image = "", command = [], args = [] }) =>
      [name, image, ...command.slice(0, 1)].some((text) => /coredns|node-cache/.test(text)) ||
      args.some(isFlag("conf")),
  );
}

/** The first that is there counts: CoreDNS's own is `Corefile` in its working directory; node-cache writes another. */
export function corefilePaths(container: Container): string[] {
  const { image = "", workingDir = "/" } = container;
  const isNodeCache = image.includes("node-cache") || flagOf(container, "localip") !== undefined;
  const base = isNodeCache ? [flagOf(container, "basecorefile") ?? "/etc/coredns/Corefile.base"] : [];
  return [...base, flagOf(container, "conf") ?? "Corefile"].map((file) =>
    file.startsWith("/") ? file : `${workingDir.replace(/\/$/, "")}/${file}`,
  );
}

/** The addresses that a pod's node-cache listens on, and puts on a link unless it is told not to. */
export function localIPs({ containers }: Pick<PodSpec, "containers">): string[] {
  return containers.flatMap((each) => flagOf(each, "localip")?.split(",") ?? []);
}

/** What a program is told, as Go's flags are written; the last one counts. */
export function flagOf({ command = [], args = [] }: Container, name: string): string | undefined {
  const words = [...command, ...args];
  const at = words.findLastIndex(isFlag(name));
  return words[at]?.includes("=") ? words[at].replace(/^[^=]*=/, "") : at < 0 ? undefined : (words[at + 1] ?? "");
}

function isFlag(name: string): (word: string) => boolean {
  return (word) => new RegExp(`^--?${name}(=|$)`).test(word);
}
