/** For random values: CI has the same ones for each change, `npm run test:nightly` others each night. */
export const seed = Number(process.env["SEED"] ?? 1);
