/** The output folder cannot become what it should be. */
export class OutputError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join("\n"));
  }
}
