export class OutputError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(problems.join("\n"));
  }
}
