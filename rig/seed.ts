const given = process.env["SEED"];

/** For random values: CI has the same ones for each change, `npm run test:nightly` others each night. */
export const seed = Number(given ?? 1);

/** Of so many random values at night, those for each change: they are the same ones each time. */
export function runs(atNight: number): number {
  return given === undefined ? Math.ceil(atNight / 4) : atNight;
}
