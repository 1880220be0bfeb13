// What a key of one of these types may hold is checked wherever it stands (src/model/check/values.ts). A key of type
// `Duration` has its range as `@formatMinimum` and `@formatMaximum`.

/** A duration such as `600ms`, `30s` or `1h30m`. Its syntax is that of Go. */
export type Duration = string;

/** An image of a container, by tag or digest: `[REGISTRY/]NAME:TAG` or `[REGISTRY/]NAME@sha256:DIGEST`. */
export type Image = string;

/** A registry of images, and a path in it: `HOST[:PORT][/PATH]`. */
export type Registry = string;

/** The name of a namespace: lower case letters, digits and -, at most 63. */
export type NamespaceName = string;

/** The name of a Service or of one of its ports: lower case letters, digits and -, at most 63. */
export type ServiceLabel = string;

/** The name of another object: lower case letters, digits, - and . */
export type ObjectName = string;

/** A user or a group as the API server knows them, such as `system:serviceaccount:NAMESPACE:NAME`. */
export type UserName = string;

/** A branch, a tag or a commit. */
export type Revision = string;

/** A DNS name such as `corp.example`, with or without a dot at its end. */
export type DNSName = string;

/** A zone: a DNS name, or `.` for all names. */
export type ZoneName = string;

/** A DNS name in lower case, labels and dots. */
export type LowerCaseName = string;

/** A Service by its name in the cluster, without the cluster domain: `NAME.NAMESPACE.svc`. */
export type ServiceName = string;

/** An IP address. */
export type Address = string;

/** A range of IP addresses: `10.96.0.0/16`. */
export type CIDR = string;

/** A DNS server by its address: `IP`, `IP:port` or `[IPv6]:port`. */
export type Server = string;

/** A day in UTC: `2026-12-24`. */
export type Day = string;

/** What collects dnstap: `tcp://IP:PORT` or `tls://IP:PORT`. */
export type Collector = string;

/** An IPv4 address. */
export type IPv4Address = string;

/** An IPv6 address. */
export type IPv6Address = string;

/** A prefix of NAT64: 32, 40, 48, 56, 64 or 96 bits of IPv6 (RFC 6052). */
export type NAT64Prefix = string;

/** A name of one label: `com`. */
export type TopLevelDomain = string;

/** A text of a record: 1 to 4000 printable characters of ASCII. */
export type TextRecord = string;

/** Priority and name: `10 mail`. */
export type MailExchanger = string;

/** Priority, weight, port and name: `0 100 5060 sip`. */
export type ServiceRecord = string;

/** A DNS name with a dot at its end. */
export type WholeName = string;

/** The text of a zone file (RFC 1035). */
export type ZoneFile = string;

/** Text of a Corefile. */
export type CorefileText = string;

/** Certificates in PEM, and nothing else. */
export type Certificates = string;

/** The key of a label: `[PREFIX/]NAME`. */
export type LabelKey = string;

/** A release: `1.17.3`. */
export type Release = string;

/** A folder of the repository, by its path in it. */
export type RepositoryFolder = string;

/** The URL of an API server: `https://HOST:PORT`. */
export type APIServerURL = string;

/** The URL of a page: `https://HOST/PATH`. */
export type PageURL = string;
