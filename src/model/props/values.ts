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
