import type { ForwardOptions } from "./forward-options";
import type {
  Address,
  DNSName,
  IPv4Address,
  IPv6Address,
  MailExchanger,
  Server,
  ServiceRecord,
  TextRecord,
  WholeName,
  ZoneFile,
} from "./values";

/** Names that are asked as other names: CoreDNS's `rewrite name`. */
export interface Rewrite {
  /**
   * How `from` is compared with the name that a pod asks.
   * @default exact
   */
  readonly match?: "exact" | "prefix" | "suffix" | "substring" | "regex";

  /**
   * The name, or the part of it that `match` says: `app.corp.example`, `.apps.corp.example`. A `regex` has Go's syntax,
   * and is compared with the name in lower case and with a dot at its end.
   */
  readonly from: string;

  /**
   * What is asked in its place. With `regex`, `{1}` is what the first parentheses matched. Of a `substring`, the first is
   * replaced.
   */
  readonly to: string;

  /**
   * Names in answers. `auto`: those that the pod asked. `unchanged`: those that answered, which some resolvers refuse; not
   * with `exact`, whose answers CoreDNS always changes back. Or rules of your own.
   * @default auto
   */
  readonly answer?: "auto" | "unchanged" | readonly AnswerRewrite[];
}

/** A change of answers to a rewritten name. */
export interface AnswerRewrite {
  /** The names of records, or the names that records hold, such as those of a CNAME. */
  readonly part: "name" | "value";

  /** A regular expression in Go's syntax. */
  readonly from: string;

  /** What takes its place; `{1}` is what the first parentheses matched. */
  readonly to: string;
}

/** How the names of a zone are answered: one of `forward`, `records`, `file` and `templates`. */
export interface Zone {
  /** Other servers, with options; without any, a line of `stubDomains` is shorter. */
  readonly forward?: ZoneServers;

  /** Fixed records, by name: `www`, `*.apps`, and `@` for the zone itself. */
  readonly records?: { readonly [name: string]: ZoneRecords };

  /** The text of a zone file (RFC 1035), with an SOA record. CoreDNS does not start with one that it cannot read. */
  readonly file?: ZoneFile;

  /**
   * Answers made from the names that are asked; the first whose `match` fits answers.
   * @minItems 1
   */
  readonly templates?: readonly ZoneTemplate[];

  /**
   * Whether names that `records`, `file` or `templates` do not have are asked outside. Such answers are not cached by
   * CoreDNS.
   * @default false
   */
  readonly fallthrough?: boolean;

  /**
   * TTL of `records`, in seconds.
   * @default 30
   * @minimum 0
   * @maximum 86400
   * @asType integer
   */
  readonly ttl?: number;
}

/** Servers of a zone, and how they are asked. */
export interface ZoneServers extends ForwardOptions {
  /**
   * `IP`, `IP:port` or `[IPv6]:port`.
   * @minItems 1
   * @maxItems 15
   */
  readonly servers: readonly Server[];

  /**
   * Ask over TLS, and expect this name in the servers' certificate.
   * @default - plain DNS
   */
  readonly tlsServerName?: DNSName;

  /**
   * Which of several servers is asked first.
   * @default random
   */
  readonly policy?: "random" | "round_robin" | "sequential";
}

/** The records of a name, by type. */
export interface ZoneRecords {
  /**
   * IPv4 addresses.
   * @minItems 1
   */
  readonly A?: readonly IPv4Address[];
  /**
   * IPv6 addresses.
   * @minItems 1
   */
  readonly AAAA?: readonly IPv6Address[];
  /** Another name; one without a dot at its end is in the zone. Excludes all other types. */
  readonly CNAME?: DNSName;
  /**
   * Texts.
   * @minItems 1
   */
  readonly TXT?: readonly TextRecord[];
  /**
   * `10 mail`: priority, name.
   * @minItems 1
   */
  readonly MX?: readonly MailExchanger[];
  /**
   * `0 100 5060 sip`: priority, weight, port, name.
   * @minItems 1
   */
  readonly SRV?: readonly ServiceRecord[];
  /**
   * Names, in a reverse zone, each with a dot at its end.
   * @minItems 1
   */
  readonly PTR?: readonly WholeName[];
}

/** An answer made from the name that is asked: CoreDNS's `template`. */
export interface ZoneTemplate {
  /**
   * The type that is asked.
   * @default - the type of the records in `answer`; ANY if they have several, or CNAME
   */
  readonly type?: "A" | "AAAA" | "CNAME" | "TXT" | "MX" | "SRV" | "PTR" | "ANY";

  /**
   * A regular expression in Go's syntax for the names that it answers.
   * @default - every name of the zone
   */
  readonly match?: string;

  /**
   * Records, such as `{{ .Name }} 60 IN A 10.1.2.3`; `{{ .Group.NAME }}` is what `(?P<NAME>...)` of `match` matched.
   * @default - none
   */
  readonly answer?: readonly string[];

  /**
   * The response code.
   * @default NOERROR
   */
  readonly rcode?: "NOERROR" | "NXDOMAIN" | "REFUSED" | "SERVFAIL";
}

/** An address and its names (core/v1 HostAlias). */
export interface HostAlias {
  /** IPv4 or IPv6 address. */
  readonly ip: Address;

  /**
   * Names that resolve to it.
   * @minItems 1
   */
  readonly hostnames: readonly DNSName[];
}
