import "reflect-metadata";
import { webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";

/** A server's certificate and the authority that signed only this certificate; PEM. */
export interface Issued {
  readonly authority: string;
  readonly certificate: string;
  readonly key: string;
}

interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

const hourMs = 3_600_000;
export const lifetimeMs = 30 * 24 * hourMs;
/** The nodes' clocks differ. */
const backdateMs = hourMs;

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** The authority's key is discarded: who reads the Secret can pose as the webhook, but sign nothing. */
export async function issue(dnsNames: readonly string[], now: Date): Promise<Issued> {
  x509.cryptoProvider.set(webcrypto);
  const validity: Validity = {
    notBefore: new Date(now.getTime() - backdateMs),
    notAfter: new Date(now.getTime() + lifetimeMs),
  };
  const [authorityKeys, serverKeys] = await Promise.all([newKeys(), newKeys()]);
  // Use a new name each time: with two authorities of the same name, a client would have to try both.
  const serial = Buffer.from(webcrypto.getRandomValues(new Uint8Array(15))).toString("hex");
  const authorityName = `CN=cluster-dns-webhook-ca-${serial.slice(0, 12)}`;
  const authority = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity,
    serialNumber: `01${serial}`,
    name: authorityName,
    keys: authorityKeys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(authorityKeys.publicKey),
    ],
  });
  const certificate = await x509.X509CertificateGenerator.create({
    ...validity,
    serialNumber: `02${serial}`,
    subject: `CN=${dnsNames[0]?.slice(0, 64)}`,
    issuer: authorityName,
    publicKey: serverKeys.publicKey,
    signingKey: authorityKeys.privateKey,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(dnsNames.map((value) => ({ type: "dns" as const, value }))),
      await x509.AuthorityKeyIdentifierExtension.create(authorityKeys.publicKey),
      await x509.SubjectKeyIdentifierExtension.create(serverKeys.publicKey),
    ],
  });
  const key = Buffer.from(await webcrypto.subtle.exportKey("pkcs8", serverKeys.privateKey)).toString("base64");
  return {
    authority: `${authority.toString("pem")}\n`,
    certificate: `${certificate.toString("pem")}\n`,
    key: `-----BEGIN PRIVATE KEY-----\n${key.match(/.{1,64}/g)?.join("\n")}\n-----END PRIVATE KEY-----\n`,
  };
}

/** Undefined if it is not a certificate. */
export function validityOf(certificate: string): Validity | undefined {
  try {
    const { notBefore, notAfter } = new x509.X509Certificate(certificate);
    return { notBefore, notAfter };
  } catch {
    return undefined;
  }
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
}
