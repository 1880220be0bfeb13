import type { KubeObject } from "../../kube/client";
import type { CertificateState } from "./rotation";
import type { Issued } from "./issue";

export interface CertificateSecret extends KubeObject {
  readonly data?: { readonly [key: string]: string };
}

const keys = {
  current: ["ca.crt", "tls.crt", "tls.key"],
  next: ["next-ca.crt", "next-tls.crt", "next-tls.key"],
} as const;
const previousKey = "previous-ca.crt";

export function stateOf({ data = {} }: CertificateSecret): CertificateState {
  const text = (key: string) => Buffer.from(data[key] ?? "", "base64").toString("utf8") || undefined;
  const issued = ([a, c, k]: readonly [string, string, string]): Issued | undefined => {
    const [authority, certificate, key] = [text(a), text(c), text(k)];
    return authority && certificate && key ? { authority, certificate, key } : undefined;
  };
  return { current: issued(keys.current), next: issued(keys.next), previousAuthority: text(previousKey) };
}

/** The Secret with this state; everything else in it stays, including its resourceVersion. */
export function withState(
  secret: CertificateSecret,
  { current, next, previousAuthority }: CertificateState,
): CertificateSecret {
  const ours: readonly string[] = [...keys.current, ...keys.next, previousKey];
  const others = Object.entries(secret.data ?? {}).filter(([key]) => !ours.includes(key));
  const data = Object.fromEntries(others);
  const set = (key: string, text: string) => (data[key] = Buffer.from(text).toString("base64"));
  for (const [[a, c, k], issued] of [
    [keys.current, current],
    [keys.next, next],
  ] as const) {
    if (!issued) continue;
    set(a, issued.authority);
    set(c, issued.certificate);
    set(k, issued.key);
  }
  if (previousAuthority) set(previousKey, previousAuthority);
  return { ...secret, data };
}
