/** What node-setup leaves on the node's link, as its alias, for the watchdog to find. */
export interface LinkNotes {
  /** Hashes of the configurations that caches of this node were given, the latest first. */
  readonly configs: readonly string[];
  /** Rules of an earlier installation could not be looked for, or not be removed. */
  readonly leftovers: boolean;
}

/** The kernel keeps 255 characters: enough for more rolls than a cache can outlive. */
const maxConfigs = 16;

export const noNotes: LinkNotes = { configs: [], leftovers: false };

export function withConfig(notes: LinkNotes, config: string): LinkNotes {
  return { ...notes, configs: [config, ...notes.configs.filter((one) => one !== config)].slice(0, maxConfigs) };
}

export function formatNotes({ configs, leftovers }: LinkNotes): string {
  return `node-local-dns configs=${configs.join(",")}${leftovers ? " leftovers" : ""}`;
}

/** Undefined for an alias that is not ours. */
export function parseNotes(alias: string): LinkNotes | undefined {
  const [, configs = "", leftovers] = /^node-local-dns configs=([0-9a-f,]*)( leftovers)?$/.exec(alias) ?? [undefined];
  return alias.startsWith("node-local-dns ")
    ? { configs: configs.split(",").filter((one) => one !== ""), leftovers: leftovers !== undefined }
    : undefined;
}
