const milliseconds: { readonly [unit: string]: number } = {
  ns: 1e-6,
  us: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** In milliseconds, as Go's time.ParseDuration reads it, up to ten years; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  if (!/^(\d{1,18}(\.\d{1,18})?(ns|us|ms|s|m|h))+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/([\d.]+)([a-z]+)/g)];
  const sum = parts.reduce((all, [, count, unit = ""]) => all + Number(count) * (milliseconds[unit] ?? 0), 0);
  return sum >= 1e-6 && sum <= 10 * 365 * 24 * 3_600_000 ? sum : undefined;
}
