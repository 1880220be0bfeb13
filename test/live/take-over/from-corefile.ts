import { expect } from "vitest";
import { gather, spread } from "../../corefile-text";
import { corefile, kubeadm, taken } from "./objects";

/** A Corefile on one line, in a cluster of kubeadm; what its cluster file says, and what of it is different. */
export type Row = [what: string, text: string, said: object, left?: string[]];

export function expectTaken(text: string, said: object, left: readonly string[] = []): void {
  expect(fromCorefile(text)).toEqual({ said, left: left.map((each) => expect.stringContaining(each) as string) });
}

export function fromCorefile(text: string): { said: object; left: string[] } {
  const { own, different } = taken(kubeadm(spread(text)));
  const { kubeProxyMode: _kubeProxyMode, ...said } = own;
  const gathered = JSON.stringify(said, (_, value: unknown) => (typeof value === "string" ? gather(value) : value));
  return { said: JSON.parse(gathered) as object, left: different.map((of) => of.replace("ConfigMap coredns: ", "")) };
}

/** More blocks in kubeadm's. */
export const beside = (text: string) => corefile("", undefined, text);
export const stub = (zone: string, plugins = "cache 30") => `${zone} { forward . 10.1.2.3;  ${plugins} }\n`;
export const stubbed = { stubDomains: { "corp.example": ["10.1.2.3"] } };
/** kubeadm's with another cache. */
export const caching = (cache: string) => corefile().replace(/cache 30 \{[^}]*\}/, cache);
export const asText = (said: object) => ({ authoritativeDNS: { corefile: said } });
export const asBlocks = (blocks: string) => asText({ blocks });
/** What is different of a block that leaves names outside to nobody. */
export const nothingAsked = ["no forward; ours: to /etc/resolv.conf", "no cache; ours: success ttl 30, denial ttl 30"];
