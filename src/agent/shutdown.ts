/** Resolves at the first SIGTERM or SIGINT and keeps the process alive until then. */
export function untilTerminated(): Promise<void> {
  return new Promise((resolve) => {
    const stay = setInterval(() => undefined, 2 ** 30);
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      process.once(signal, () => {
        clearInterval(stay);
        resolve();
      });
    }
  });
}
