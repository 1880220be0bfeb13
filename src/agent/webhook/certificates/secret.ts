import type { KubeObject } from "../../kube/client";
import type { CertificateState } from "./rotation";
import type { Issued } from "./issue";

/** The Secret that the replicas share. */
export interface CertificateSecret extends KubeObject {
  readonly data?: { readonly [key: string]: string };
}

const keys = {
  current: ["ca.crt", "tls.crt", "tls.key"],
  next: ["next-ca.crt", "next-tls.crt", "next-tls.key"],
} as const;
const previousKey = "previous-ca.crt";

export function stateOf({ data = {} }: CertificateSecret): CertificateState {
  const text = (key: string) => {
    const value = data[key];
    return value ? Buffer.from(value, "base64").toString("utf8") : undefined;
  };
  const issued = ([a, c, k]: readonly [string, string, string]): Issued | undefined => {
    const [authority, certificate, key] = [text(a), text(c), text(k)];
    return authority && certificate && key ? { authority, certificate, key } : undefined;
  };
  const current = issued(keys.current);
  const next = issued(keys.next);
  const previousAuthority = text(previousKey);
  return {
    ...(current ? { current } : {}),
    ...(next ? { next } : {}),
    ...(previousAuthority ? { previousAuthority } : {}),
  };
}

/** The Secret with this state; what else is in it stays, its resourceVersion too. */
export function withState(
  secret: CertificateSecret,
  { current, next, previousAuthority }: CertificateState,
): CertificateSecret {
  const ours: readonly string[] = [...keys.current, ...keys.next, previousKey];
  const others = Object.entries(secret.data ?? {}).filter(([key]) => !ours.includes(key));
  const issued = ([a, c, k]: readonly [string, string, string], value?: Issued) =>
    value
      ? [
          [a, value.authority],
          [c, value.certificate],
          [k, value.key],
        ]
      : [];
  const texts = [
    ...issued(keys.current, current),
    ...issued(keys.next, next),
    ...(previousAuthority ? [[previousKey, previousAuthority]] : []),
  ];
  const encoded = texts.map(([key, value]) => [key, Buffer.from(value ?? "").toString("base64")]);
  return { ...secret, data: Object.fromEntries([...others, ...encoded]) as { [key: string]: string } };
}
