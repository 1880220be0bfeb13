/** The day of a time in UTC, as `2026-12-24`. */
export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

export function isDay(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : NaN;
  return !Number.isNaN(time) && dayOf(new Date(time)) === text;
}
