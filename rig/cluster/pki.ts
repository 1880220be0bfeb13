import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../run";
import { apiPort, apiService, controlPlane } from "./addresses";

/** Longer than a checkout lives: certificates in the cache must not expire. */
const days = "3650";

/** Keys and certificates of one cluster, all from one authority that lives as long as the cluster. */
export class Pki {
  constructor(readonly folder: string) {}

  file(name: string): string {
    return join(this.folder, name);
  }

  async createAuthority(): Promise<void> {
    mkdirSync(this.folder, { recursive: true });
    await this.key("ca");
    await openssl([
      "req",
      "-x509",
      "-new",
      "-key",
      this.file("ca.key"),
      "-subj",
      "/CN=cluster-dns-e2e",
      "-days",
      days,
      "-out",
      this.file("ca.crt"),
      "-addext",
      "keyUsage=critical,keyCertSign,digitalSignature",
    ]);
    await this.key("service-account");
    await openssl(["ec", "-in", this.file("service-account.key"), "-pubout", "-out", this.file("service-account.pub")]);
  }

  /** Makes `name`.key and `name`.crt, valid for clients and servers. */
  async certificate(name: string, subject: string, alternativeNames: readonly string[] = []): Promise<void> {
    await this.key(name);
    const extensions = [
      "extendedKeyUsage=clientAuth,serverAuth",
      ...(alternativeNames.length > 0 ? [`subjectAltName=${alternativeNames.join(",")}`] : []),
    ];
    writeFileSync(this.file(`${name}.ext`), extensions.join("\n"));
    await openssl([
      "req",
      "-new",
      "-key",
      this.file(`${name}.key`),
      "-subj",
      subject,
      "-out",
      this.file(`${name}.csr`),
    ]);
    await openssl([
      "x509",
      "-req",
      "-in",
      this.file(`${name}.csr`),
      "-CA",
      this.file("ca.crt"),
      "-CAkey",
      this.file("ca.key"),
      // a serial number file would not survive certificates made in parallel
      "-set_serial",
      `0x${randomBytes(16).toString("hex")}`,
      "-days",
      days,
      "-extfile",
      this.file(`${name}.ext`),
      "-out",
      this.file(`${name}.crt`),
    ]);
  }

  apiServerCertificate(): Promise<void> {
    const names = [
      "localhost",
      "kubernetes",
      "kubernetes.default",
      "kubernetes.default.svc",
      "kubernetes.default.svc.cluster.local",
    ];
    const addresses = [controlPlane.ipv4.address, controlPlane.ipv6.address, "127.0.0.1", apiService];
    return this.certificate("apiserver", "/CN=kube-apiserver", [
      ...addresses.map((address) => `IP:${address}`),
      ...names.map((name) => `DNS:${name}`),
    ]);
  }

  /** Makes a certificate and the kubeconfig that contains it. */
  async kubeconfig(name: string, subject: string, alternativeNames: readonly string[] = []): Promise<string> {
    await this.certificate(name, subject, alternativeNames);
    const path = this.file(`${name}.conf`);
    writeFileSync(path, this.kubeconfigText(name, `https://${controlPlane.ipv4.address}:${apiPort}`), { mode: 0o600 });
    return path;
  }

  kubeconfigText(name: string, server: string): string {
    const encoded = (file: string) => readFileSync(this.file(file)).toString("base64");
    return JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "cluster-dns",
      clusters: [{ name: "cluster-dns", cluster: { server, "certificate-authority-data": encoded("ca.crt") } }],
      users: [
        {
          name,
          user: { "client-certificate-data": encoded(`${name}.crt`), "client-key-data": encoded(`${name}.key`) },
        },
      ],
      contexts: [{ name: "cluster-dns", context: { cluster: "cluster-dns", user: name } }],
    });
  }

  private async key(name: string): Promise<void> {
    await openssl(["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", this.file(`${name}.key`)]);
  }
}

function openssl(args: readonly string[]): Promise<string> {
  return run(["openssl", ...args]);
}
