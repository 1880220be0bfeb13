import { addressRange, canonicalAddress, familyOf, type Family, type Server } from "../../model/syntax/addresses";
import { exchange, unfragmented } from "../dns/exchange";
import type { Reply } from "../dns/reply-to";

/** More than any Service has; a name with more does not belong in a hosts file. */
const maxAddresses = 32;

const recordTypes = { IPv4: "A", IPv6: "AAAA" } as const;

/** Asks each server in turn, over UDP then TCP. @throws Error when none answers, or no answer can be trusted. */
export async function lookup(
  name: string,
  family: Family,
  servers: readonly Server[],
  timeoutMs = 2000,
): Promise<string[] | "NXDOMAIN"> {
  const type = recordTypes[family];
  const failures: string[] = [];
  for (const server of servers) {
    for (const protocol of ["udp", "tcp"] as const) {
      const outcome = await exchange({ name, type, server, protocol, timeoutMs, udpPayloadSize: unfragmented });
      if (outcome.kind === "answer" && outcome.reply.rcode === "NXDOMAIN") return "NXDOMAIN";
      const found = outcome.kind === "answer" ? addressesIn(outcome.reply, family) : outcome.why;
      if (typeof found !== "string") return found;
      failures.push(`${server.address} over ${protocol.toUpperCase()}: ${found}`);
    }
  }
  throw new Error(`${type} of ${name}: ${failures.join("; ")}`);
}

function addressesIn({ rcode, answers = [] }: Reply, family: Family): string[] | string {
  if (rcode !== "NOERROR") return `answered ${rcode}`;
  const type = recordTypes[family];
  const found = answers.flatMap((answer) => (answer.type === type ? [answer.data] : []));
  if (found.length > maxAddresses) return `${found.length} addresses, at most ${maxAddresses} are accepted`;
  const problem = found.map((address) => problemOf(address, family)).find((one) => one !== undefined);
  return problem ?? [...new Set(found.map(canonicalAddress))];
}

const unusable = ["unspecified", "loopback", "multicast", "broadcast", "linkLocal", "ipv4Mapped"];

function problemOf(address: string, family: Family): string | undefined {
  if (familyOf(address) !== family) return `${JSON.stringify(address)} is not an ${family} address`;
  const range = addressRange(address);
  return unusable.includes(range) ? `${address} (${range}) is not an address that a Service can have` : undefined;
}
