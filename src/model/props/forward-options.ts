import type { Certificates, Duration, ZoneName } from "./values";

/** How servers are asked, and what counts as a failure: options of CoreDNS's `forward`. */
export interface ForwardOptions {
  /**
   * `asAsked`: over UDP or TCP, as the pod asked. `tcp`: always over TCP. `udp`: over UDP, and over TCP if an answer does
   * not fit.
   * @default asAsked
   */
  readonly protocol?: "asAsked" | "tcp" | "udp";

  /**
   * Answers that make CoreDNS ask the next server. Without it, only silence does.
   * @default - none
   */
  readonly failover?: readonly ("SERVFAIL" | "REFUSED")[];

  /**
   * How long one server has to answer; then the next one is asked. A query ends after 5 seconds in all. Needs CoreDNS
   * 1.14.5.
   * @default 2s
   * @formatMinimum 50ms
   * @formatMaximum 5s
   */
  readonly timeout?: Duration;

  /**
   * Failed health checks in a row after which a server is not asked. `0`: it is always asked, and never checked.
   * @default 2
   * @minimum 0
   * @maximum 1000
   * @asType integer
   */
  readonly maxFails?: number;

  /**
   * The question that finds out whether a server that did not answer is back.
   * @default - every 500 ms, the name servers of the root
   */
  readonly healthCheck?: HealthCheck;

  /**
   * While all servers are down: answer SERVFAIL at once. `false`: ask one of them.
   * @default false
   */
  readonly failFast?: boolean;

  /**
   * How long an idle connection to a server is kept.
   * @default 10s
   * @formatMinimum 1s
   * @formatMaximum 1h
   */
  readonly expire?: Duration;

  /**
   * Certificates (PEM) of the authority that signed those of the servers, for servers that are asked over TLS.
   * @default - the authorities of the image
   */
  readonly tlsCA?: Certificates;
}

/** A question to a server that did not answer. Whatever it answers, it is back. */
export interface HealthCheck {
  /**
   * How often it is asked.
   * @default 500ms
   * @formatMinimum 50ms
   * @formatMaximum 1h
   */
  readonly interval?: Duration;

  /**
   * The name that is asked, for servers that do not answer for the root.
   * @default .
   */
  readonly domain?: ZoneName;

  /**
   * Whether the server may ask others.
   * @default true
   */
  readonly recursive?: boolean;
}
