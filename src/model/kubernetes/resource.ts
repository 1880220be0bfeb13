/** `daemonsets.apps`: what the API server, and kubectl's `api-resources`, call a kind. */
export function resourceOf(apiVersion: string, kind: string): string {
  const plural = kind.toLowerCase().replace(/y$/, "ie").concat("s");
  const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : undefined;
  return group === undefined ? plural : `${plural}.${group}`;
}
