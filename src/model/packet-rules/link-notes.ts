/** What node-setup records for the watchdog in the alias of the node's link. */
export interface LinkNotes {
  /** Hashes of the configurations that this node's caches were given, the latest first. */
  readonly configs: readonly string[];
  /** Rules of an earlier installation could not be read or removed. */
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

/** Undefined if the alias is not ours. */
export function parseNotes(alias: string): LinkNotes | undefined {
  const [, configs = "", leftovers] = /^node-local-dns configs=([0-9a-f,]*)( leftovers)?$/.exec(alias) ?? [undefined];
  return alias.startsWith("node-local-dns ")
    ? { configs: configs.split(",").filter((one) => one !== ""), leftovers: leftovers !== undefined }
    : undefined;
}
