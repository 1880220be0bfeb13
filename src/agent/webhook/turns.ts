/** Runs pieces of work one at a time. Addresses take turns: one that asks for a lot only delays itself. */
export class Turns {
  private readonly lines = new Map<string, (() => Promise<void>)[]>();
  private running = false;

  /** Runs a piece of work when it is the address's turn. */
  run<T>(address: string, work: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const turn = async () => {
        try {
          resolve(await work());
        } catch (error) {
          reject(error as Error);
        }
      };
      const line = this.lines.get(address);
      if (line) line.push(turn);
      else this.lines.set(address, [turn]);
      if (!this.running) void this.go();
    });
  }

  private async go(): Promise<void> {
    this.running = true;
    for (const [address, line] of this.lines) {
      this.lines.delete(address);
      const turn = line.shift();
      // Moves it to the end of the map, which this loop reaches again.
      if (line.length > 0) this.lines.set(address, line);
      await turn?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    this.running = false;
  }
}
