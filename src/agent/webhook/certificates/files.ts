import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { KeyPair } from "../server";

/** The kubelet fills the folder. @throws Error if a file is missing, or key and certificate do not match. */
export function readCertificateFiles(folder: string): KeyPair {
  const certificate = readFileSync(join(folder, "tls.crt"), "utf8");
  const key = readFileSync(join(folder, "tls.key"), "utf8");
  if (!new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key)))
    throw new Error(`${folder}: tls.key is not the key of tls.crt`);
  return { certificate, key };
}
