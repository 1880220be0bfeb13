/** `daemonsets.apps`: what the API server, and kubectl's `api-resources`, call a kind. */
export function resourceOf(apiVersion: string, kind: string): string {
  return [pluralOf(kind), groupOf(apiVersion)].filter(Boolean).join(".");
}

/** `apps` of `apps/v1`; empty for the core's. */
export function groupOf(apiVersion = ""): string {
  return apiVersion.slice(0, Math.max(apiVersion.indexOf("/"), 0));
}

/** `daemonsets`: a kind in the API server's paths. */
export function pluralOf(kind: string): string {
  return kind.toLowerCase().replace(/y$/, "ie").concat("s");
}
