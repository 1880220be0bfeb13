import "reflect-metadata";
import { webcrypto } from "node:crypto";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  cryptoProvider,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";

/** A server's certificate and the authority that signed it and nothing else: PEM. */
export interface Issued {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

export interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

const hour = 3_600_000;
export const lifetimeMs = 30 * 24 * hour;
/** Clocks of nodes differ. */
export const backdateMs = hour;

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/**
 * A new authority and a certificate of it for a server. The authority's key is thrown away: whoever reads the Secret can pose as the
 * webhook until the next rotation, and can sign nothing.
 */
export async function issue(dnsNames: readonly string[], now: Date): Promise<Issued> {
  cryptoProvider.set(webcrypto);
  const validity: Validity = {
    notBefore: new Date(now.getTime() - backdateMs),
    notAfter: new Date(now.getTime() + lifetimeMs),
  };
  const [authorityKeys, serverKeys] = await Promise.all([newKeys(), newKeys()]);
  // The name differs each time: two authorities of one name in one bundle would be tried in turn.
  const serial = Buffer.from(webcrypto.getRandomValues(new Uint8Array(15))).toString("hex");
  const authorityName = `CN=cluster-dns-webhook-ca-${serial.slice(0, 12)}`;
  const authority = await X509CertificateGenerator.createSelfSigned({
    ...validity,
    serialNumber: `01${serial}`,
    name: authorityName,
    keys: authorityKeys,
    signingAlgorithm: algorithm,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(authorityKeys.publicKey),
    ],
  });
  const certificate = await X509CertificateGenerator.create({
    ...validity,
    serialNumber: `02${serial}`,
    subject: `CN=${dnsNames[0]?.slice(0, 64)}`,
    issuer: authorityName,
    publicKey: serverKeys.publicKey,
    signingKey: authorityKeys.privateKey,
    signingAlgorithm: algorithm,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(dnsNames.map((value) => ({ type: "dns" as const, value }))),
      await AuthorityKeyIdentifierExtension.create(authorityKeys.publicKey),
      await SubjectKeyIdentifierExtension.create(serverKeys.publicKey),
    ],
  });
  const key = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", serverKeys.privateKey)).toString("base64");
  return {
    authority: `${authority.toString("pem")}\n`,
    certificate: `${certificate.toString("pem")}\n`,
    key: `-----BEGIN PRIVATE KEY-----\n${key.match(/.{1,64}/g)?.join("\n")}\n-----END PRIVATE KEY-----\n`,
  };
}

/** Undefined when it is no certificate. */
export function validityOf(certificate: string): Validity | undefined {
  try {
    const { notBefore, notAfter } = new X509Certificate(certificate);
    return { notBefore, notAfter };
  } catch {
    return undefined;
  }
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
}
