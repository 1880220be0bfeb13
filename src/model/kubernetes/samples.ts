export interface Sample {
  readonly name: string;
  readonly labels: { readonly [label: string]: string };
  readonly value: number;
}

/** Reads a page of metrics in Prometheus' text format. Timestamps and exemplars, which ours do not have, are ignored. */
export function parseSamples(text: string): Sample[] {
  return text.split("\n").flatMap((line) => {
    const [, name, labels = "", value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)/.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = [...labels.matchAll(/(\w+)="((?:\\.|[^"\\])*)"/g)].map(([, key = "", said = ""]) => [key, said]);
    return [{ name, labels: Object.fromEntries(pairs) as Sample["labels"], value: Number(value) }];
  });
}
