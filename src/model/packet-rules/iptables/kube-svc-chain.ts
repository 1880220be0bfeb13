import { createHash } from "node:crypto";
import type { Protocol } from "../listener";

/** The Service port that kube-proxy's chain serves. */
interface ServicePort {
  readonly namespace: string;
  readonly name: string;
  readonly port: string;
  readonly protocol: Protocol;
}

/**
 * Name of the chain in which kube-proxy (iptables mode) balances a Service port: portProtoHash in its
 * pkg/proxy/iptables/proxier.go.
 */
export function kubeSvcChain({ namespace, name, port, protocol }: ServicePort): string {
  const hash = createHash("sha256").update(`${namespace}/${name}:${port}${protocol}`).digest();
  return `KUBE-SVC-${base32(hash).slice(0, 16)}`;
}

// RFC 4648; Node has no base32.
function base32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const groups = bits.match(/.{5}/g) ?? [];
  return groups.map((group) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[Number.parseInt(group, 2)]).join("");
}
