import { familyOf, familyOfCIDR, parseServer } from "../syntax/addresses";
import { readGoExpression } from "../syntax/go-expression";

/** What an argument must be, or CoreDNS does not start. */
export interface Kind {
  readonly accepts: (text: string) => boolean;
  readonly what: string;
}

/** As time.ParseDuration reads it, but for negative ones, which few options take. */
export const duration: Kind = {
  accepts: (text) => /^\+?(0|((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/.test(text),
  what: "a duration such as 600ms, 30s or 1h30m",
};

export const expression: Kind = {
  accepts: (text) => "read" in readGoExpression(text),
  what: "a regular expression of Go",
};

export const address: Kind = { accepts: (text) => familyOf(text) !== undefined, what: "an IP address" };

export const server: Kind = { accepts: (text) => parseServer(text) !== undefined, what: "IP, IP:PORT or [IPv6]:PORT" };

export const cidr: Kind = { accepts: (text) => familyOfCIDR(text) !== undefined, what: "a CIDR" };

/** Whole, and in this range. */
export function number(least: number, most = Infinity): Kind {
  return {
    accepts: (text) => /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most,
    what: `a whole number from ${least}${most === Infinity ? "" : ` to ${most}`}`,
  };
}

/** Where a plugin listens. */
export const port: Kind = { accepts: (text) => /:\w+$/.test(text), what: "[IP]:PORT" };

export const percentage: Kind = { accepts: (text) => /^([1-8]\d|90)%$/.test(text), what: "10% to 90%" };

export const ttlOrZone: Kind = {
  accepts: (text) => !/^-?\d+$/.test(text) || Number(text) > 0,
  what: "a TTL from 1, or zones",
};

/** One of these words, in whatever case. */
export function oneOf(...words: readonly string[]): Kind {
  return { accepts: (text) => words.includes(text.toLowerCase()), what: words.join(", ") };
}

/** Names of response codes (miekg/dns, `StringToRcode`). */
export const responseCode: Kind = oneOf(
  ..."noerror formerr servfail nxdomain notimp refused yxdomain yxrrset nxrrset notauth notzone".split(" "),
  ..."dsotypeni badsig badkey badtime badmode badname badalg badtrunc badcookie".split(" "),
);

export const anything: Kind = { accepts: () => true, what: "anything" };
