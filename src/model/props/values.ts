// What a key of one of these types may hold is checked wherever it stands (`valuesOf` of src/model/check). A key of type
// `Duration` has its range as `@formatMinimum` and `@formatMaximum`.

/** A duration as Go writes it: `600ms`, `30s`, `1h30m`. */
export type Duration = string;

/** An image of a container, by tag or digest: `[REGISTRY/]NAME:TAG` or `[REGISTRY/]NAME@sha256:DIGEST`. */
export type Image = string;

/** A registry of images, and a path in it: `HOST[:PORT][/PATH]`. */
export type Registry = string;

/** The name of a namespace: lower case letters, digits and -, at most 63. */
export type NamespaceName = string;
