import { existsSync } from "node:fs";
import { join } from "node:path";
import { cacheFolder } from "../repository";
import { Pki } from "./pki";

/** The name in the certificate of the DNS server outside the cluster. */
export const outsideServerName = "dns.outside.test";

/** The authority that the test images trust, with the certificate `dns` for a server outside the cluster. */
export async function outsidePki(): Promise<Pki> {
  const pki = new Pki(join(cacheFolder, "outside-pki"));
  if (!existsSync(pki.file("dns.crt"))) {
    await pki.createAuthority();
    await pki.certificate("dns", `/CN=${outsideServerName}`, [`DNS:${outsideServerName}`]);
  }
  return pki;
}
