/** Reports the steps of a long task, one line each. */
export type Progress = (line: string) => void;

/** Lines with the seconds since the start, on standard error, which the test runner does not hold back. */
export function consoleProgress(): Progress {
  const start = Date.now();
  return (line) => process.stderr.write(`[${((Date.now() - start) / 1000).toFixed(1).padStart(6)} s] ${line}\n`);
}
