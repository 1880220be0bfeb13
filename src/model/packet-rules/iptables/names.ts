/** Our chains are named this, or this with a suffix. */
export const chainName = "NODE-LOCAL-DNS";

export function isOwnChain(chain: string): boolean {
  return chain === chainName || chain.startsWith(`${chainName}-`);
}
