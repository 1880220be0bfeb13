/** Says what a long step does; a line each. */
export type Progress = (line: string) => void;

/** Lines with the seconds since the start, on standard error, so that they are seen while the test runner holds standard output. */
export function consoleProgress(): Progress {
  const start = Date.now();
  return (line) => process.stderr.write(`[${((Date.now() - start) / 1000).toFixed(1).padStart(6)} s] ${line}\n`);
}
