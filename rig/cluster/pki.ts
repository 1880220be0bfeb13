import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv } from "../argv";
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
    await run(argv`openssl req -x509 -new -key ${this.file("ca.key")} -subj /CN=cluster-dns-e2e -days ${days}
      -out ${this.file("ca.crt")} -addext keyUsage=critical,keyCertSign,digitalSignature`);
    await this.key("service-account");
    const [key, pub] = [this.file("service-account.key"), this.file("service-account.pub")];
    await run(argv`openssl ec -in ${key} -pubout -out ${pub}`);
  }

  /** Makes `name`.key and `name`.crt, valid for clients and servers. */
  async certificate(name: string, subject: string, alternativeNames: readonly string[] = []): Promise<void> {
    await this.key(name);
    const extensions = [
      "extendedKeyUsage=clientAuth,serverAuth",
      ...(alternativeNames.length > 0 ? [`subjectAltName=${alternativeNames.join(",")}`] : []),
    ];
    writeFileSync(this.file(`${name}.ext`), extensions.join("\n"));
    const [file, ca] = [this.file(name), this.file("ca")];
    await run(argv`openssl req -new -key ${file}.key -subj ${subject} -out ${file}.csr`);
    // a serial number file would not survive certificates made in parallel
    const serial = `0x${randomBytes(16).toString("hex")}`;
    await run(argv`openssl x509 -req -in ${file}.csr -CA ${ca}.crt -CAkey ${ca}.key -set_serial ${serial}
      -days ${days} -extfile ${file}.ext -out ${file}.crt`);
  }

  apiServerCertificate(): Promise<void> {
    const names = argv`localhost kubernetes kubernetes.default kubernetes.default.svc kubernetes.default.svc.cluster.local`;
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
    const user = { "client-certificate-data": encoded(`${name}.crt`), "client-key-data": encoded(`${name}.key`) };
    return JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "cluster-dns",
      clusters: [{ name: "cluster-dns", cluster: { server, "certificate-authority-data": encoded("ca.crt") } }],
      users: [{ name, user }],
      contexts: [{ name: "cluster-dns", context: { cluster: "cluster-dns", user: name } }],
    });
  }

  private async key(name: string): Promise<void> {
    await run(argv`openssl ecparam -name prime256v1 -genkey -noout -out ${this.file(`${name}.key`)}`);
  }
}
