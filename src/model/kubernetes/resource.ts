/** `daemonsets.apps`: what the API server, and kubectl's `api-resources`, call a kind. */
export function resourceOf(apiVersion: string, kind: string): string {
  const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : undefined;
  return group === undefined ? pluralOf(kind) : `${pluralOf(kind)}.${group}`;
}

/** `daemonsets`: a kind in the API server's paths. */
export function pluralOf(kind: string): string {
  return kind.toLowerCase().replace(/y$/, "ie").concat("s");
}
