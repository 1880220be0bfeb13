/** What a container's log says. It is judged as it is read: the logs of thousands of nodes do not fit into memory. */
export interface LogFacts {
  /** How many lines were read. */
  readonly lines: number;
  /** The one that says why the program ended, if it did, shortened. */
  readonly whyEnded?: string | undefined;
  /** What CoreDNS complains about, in the order of the first lines. */
  readonly complaints: readonly Complained[];
  /** What a watchdog has repaired. */
  readonly repaired: readonly string[];
  /** What a watchdog last complained about. */
  readonly warning?: string | undefined;
}

/** The lines of one complaint in a log. */
export interface Complained {
  /** Its place among the complaints that are known. */
  readonly complaint: number;
  readonly count: number;
  /** The last of them, shortened. */
  readonly text: string;
  /** When the kubelet got it, in milliseconds; undefined if the log was read without timestamps. */
  readonly time?: number | undefined;
  /** The same of the first of them. */
  readonly since?: number | undefined;
  /** The name that all of them are about, if all are time-outs. */
  readonly name?: string | undefined;
}
