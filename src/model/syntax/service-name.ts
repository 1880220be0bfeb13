import { isDNSLabel } from "./names";

/** `NAME.NAMESPACE.svc`, without the cluster domain. */
export function isServiceName(text: string): boolean {
  const [name = "", namespace = "", svc, ...rest] = text.split(".");
  return rest.length === 0 && svc === "svc" && isDNSLabel(name) && isDNSLabel(namespace);
}
