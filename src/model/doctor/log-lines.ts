/** A line of a container's log, and when the kubelet got it. */
export interface LogLine {
  /** Undefined if the log was read without timestamps. */
  readonly time: Date | undefined;
  readonly text: string;
}

export function logLines(log: string): LogLine[] {
  const lines = log.split("\n").filter((line) => line !== "");
  return lines.map((line) => {
    const [, time, text = ""] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\S*) ?(.*)$/.exec(line) ?? [];
    return time === undefined ? { time: undefined, text: line } : { time: new Date(time), text };
  });
}
