import { createPrivateKey, X509Certificate } from "node:crypto";
import { lifetimeMs, validityOf, type Issued } from "./issue";

export interface CertificateState {
  readonly current?: Issued;
  /** Becomes current once every API server has had time to learn its authority. */
  readonly next?: Issued;
  /** Authority of the previous certificate, which replicas that have not read the Secret yet still serve. */
  readonly previousAuthority?: string;
}

interface RotationInput {
  readonly now: Date;
  readonly dnsNames: readonly string[];
  /** Whether the webhook configurations contain the authority of `next`. */
  readonly nextIsPublished: boolean;
  readonly issue: (dnsNames: readonly string[], now: Date) => Promise<Issued>;
}

/** After two thirds of the lifetime: leaves ten days in which everything may be down. */
const renewBeforeMs = lifetimeMs / 3;
/** From publishing a new authority to its first use: API servers see a changed configuration within seconds. */
const settleMs = 10 * 60_000;

/** Returns what the state has to become; the same object if nothing has to change. */
export async function rotate(
  state: CertificateState,
  { now, dnsNames, nextIsPublished, issue }: RotationInput,
): Promise<CertificateState> {
  const { current, next } = state;
  if (!current || !isUsable(current, dnsNames, now)) {
    // Nothing works without a certificate, so no caution is needed.
    const replacement = next && isUsable(next, dnsNames, now) ? next : await issue(dnsNames, now);
    return { current: replacement };
  }
  if (next && !isUsable(next, dnsNames, now)) return { ...state, next: await issue(dnsNames, now) };
  if (next && nextIsPublished && now.getTime() - issuedAtMs(next) >= settleMs) {
    return { current: next, previousAuthority: current.authority };
  }
  if (!next && msLeft(current, now) < renewBeforeMs) return { ...state, next: await issue(dnsNames, now) };
  return state;
}

/**
 * The certificate authorities that the webhook configurations have to trust; PEM.
 * @param found The caBundle of each. While `current` is new, what they trust already stays: other replicas may still serve
 *   a certificate of cert-manager's, or of a Secret that was emptied.
 */
export function bundle(
  { current, next, previousAuthority }: CertificateState,
  now: Date,
  found: readonly string[] = [],
): string {
  const isNew = current !== undefined && now.getTime() - issuedAtMs(current) < settleMs;
  const kept = isNew ? found.flatMap((each) => each.match(certificateBlock) ?? []).map((block) => `${block}\n`) : [];
  const others = [previousAuthority, ...kept].filter((each) => each !== undefined && isTrustable(each, now));
  return [...new Set([current?.authority, next?.authority, ...others])].join("");
}

const certificateBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

function isTrustable(authority: string, now: Date): boolean {
  const validity = validityOf(authority);
  return validity !== undefined && validity.notAfter > now;
}

function msLeft({ certificate }: Issued, now: Date): number {
  return (validityOf(certificate)?.notAfter.getTime() ?? 0) - now.getTime();
}

/** The first clock by which the certificate is valid, or else the first: what others consider valid must stay. */
export function trustedTime(
  { current }: CertificateState,
  dnsNames: readonly string[],
  clocks: readonly [Date, Date],
): Date {
  return clocks.find((now) => current && isUsable(current, dnsNames, now)) ?? clocks[0];
}

/** Whether its parts parse and match, and it is valid now for these names. */
function isUsable({ authority, certificate, key }: Issued, dnsNames: readonly string[], now: Date): boolean {
  try {
    const server = new X509Certificate(certificate);
    const validity = validityOf(certificate);
    return (
      validity !== undefined &&
      validity.notBefore <= now &&
      now < validity.notAfter &&
      server.verify(new X509Certificate(authority).publicKey) &&
      server.checkPrivateKey(createPrivateKey(key)) &&
      dnsNames.every((name) => server.checkHost(name) !== undefined)
    );
  } catch {
    return false;
  }
}

function issuedAtMs({ certificate }: Issued): number {
  return (validityOf(certificate)?.notAfter.getTime() ?? Infinity) - lifetimeMs;
}
