/** What node-setup records for the watchdog in the alias of the node's link. */
export interface LinkNotes {
  /** Hashes of the configurations that this node's caches were given, the latest first. */
  readonly configs: readonly string[];
  /** Rules of an earlier installation could not be read or removed. */
  readonly leftovers: boolean;
  /** Nameservers in the node's file that its cache cannot use. */
  readonly nameservers: readonly string[];
}

/** More rolls than a cache can outlive. */
const maxConfigs = 16;

/** As many as the kernel keeps. */
const maxLength = 255;

export const noNotes: LinkNotes = { configs: [], leftovers: false, nameservers: [] };

export function withConfig(notes: LinkNotes, config: string): LinkNotes {
  return { ...notes, configs: [config, ...notes.configs.filter((one) => one !== config)].slice(0, maxConfigs) };
}

/** If there is too little room, with fewer of the oldest configurations. */
export function formatNotes({ configs, leftovers, nameservers }: LinkNotes): string {
  const unusable = nameservers.length > 0 ? ` nameservers=${nameservers.join(",")}` : "";
  const text = `${start}${configs.join(",")}${leftovers ? " leftovers" : ""}${unusable}`;
  return text.length <= maxLength || configs.length === 0
    ? text.slice(0, maxLength)
    : formatNotes({ configs: configs.slice(0, -1), leftovers, nameservers });
}

const start = "node-local-dns configs=";

/** Undefined if the alias is not ours. */
export function parseNotes(alias: string): LinkNotes | undefined {
  if (!alias.startsWith("node-local-dns ")) return undefined;
  const [, configs = "", leftovers, nameservers = ""] =
    /^node-local-dns configs=([0-9a-f,]*)( leftovers)?(?: nameservers=(\S+))?$/.exec(alias) ?? [];
  const list = (text: string) => text.split(",").filter((one) => one !== "");
  return { configs: list(configs), leftovers: leftovers !== undefined, nameservers: list(nameservers) };
}
