import type { Collector, Day, DNSName } from "./values";

/** Which queries CoreDNS and the node cache write to their logs. */
export interface QueryLog {
  /**
   * Zones whose names are logged.
   * @default - all names
   * @minItems 1
   */
  readonly zones?: readonly DNSName[];

  /**
   * Which answers are logged: `denial` is NXDOMAIN and no data, `error` is SERVFAIL, REFUSED and the like.
   * @default - all answers
   * @minItems 1
   */
  readonly classes?: readonly ("success" | "denial" | "error")[];

  /**
   * The last day, in UTC: `2026-12-24`. What is rendered on a later day logs nothing.
   * @default - no end
   */
  readonly until?: Day;
}

/** Where CoreDNS and the node cache send a copy of each query and answer, in dnstap's format. */
export interface Dnstap {
  /** `tcp://IP:PORT` or `tls://IP:PORT`. While nobody listens there, copies are dropped. */
  readonly endpoint: Collector;

  /**
   * Whether whole messages are sent, and not only who asked when.
   * @default false
   */
  readonly full?: boolean;
}
