import { X509Certificate } from "node:crypto";
import type { KeyPair } from "./server";

export class ServedCertificate {
  private serving: X509Certificate | undefined;
  /** How far this clock is ahead of the API server's. */
  private clockErrorMs = 0;

  /** @param onChange Called with each certificate that takes the place of another. */
  constructor(private readonly onChange: (pair: KeyPair, certificate: X509Certificate) => void) {}

  /** @param now The API server's time. */
  use(pair: KeyPair, now?: Date): void {
    if (now) this.clockErrorMs = Date.now() - now.getTime();
    const certificate = new X509Certificate(pair.certificate);
    if (this.serving?.toString() === certificate.toString()) return;
    this.serving = certificate;
    this.onChange(pair, certificate);
  }

  /** Why clients would not trust it; undefined if they do. */
  fault(): string | undefined {
    if (!this.serving) return "has no certificate yet";
    return new Date(this.serving.validTo).getTime() > Date.now() - this.clockErrorMs
      ? undefined
      : `its certificate expired on ${this.serving.validTo}`;
  }
}
