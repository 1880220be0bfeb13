import { type FamilyAnswer, isResolved, type ServiceAnswer, updateHosts } from "../../model/node-resolver/hosts-lines";
import { type Family, addressRange, canonicalAddress, familyOf, type Server } from "../../model/syntax/addresses";
import { errorMessage } from "../errors";
import { HostsFileError } from "../hosts-file/error";
import { replaceHostsFile } from "../hosts-file/replace";
import type { NodeResolverOptions } from "./options";
import { exchange } from "../dns/exchange";
import type { Reply } from "../dns/reply-to";

/** What one round found and did. */
export interface Round {
  readonly services: readonly ServiceAnswer[];
  /** Why lookups have no answer, one message each. */
  readonly lookupFailures: readonly string[];
  /** `untouched`: nothing resolved, so the file was not even read. */
  readonly hostsFile: "replaced" | "unchanged" | "untouched" | HostsFileError;
}

/** Looks up every service and brings the hosts file up to date. */
export async function round(options: NodeResolverOptions): Promise<Round> {
  const lookupFailures: string[] = [];
  const ask = (name: string, family: Family): Promise<FamilyAnswer> =>
    lookup(name, family, options.servers).catch((error: unknown) => {
      lookupFailures.push(errorMessage(error));
      return "failed";
    });
  const services = await Promise.all(
    options.services.map(async (service) => {
      const qualified = `${service}.${options.clusterDomain}`;
      const [IPv4, IPv6] = await Promise.all([ask(`${qualified}.`, "IPv4"), ask(`${qualified}.`, "IPv6")]);
      return { service, qualified, answers: { IPv4, IPv6 } };
    }),
  );
  if (!services.some(isResolved)) return { services, lookupFailures, hostsFile: "untouched" };
  const location = { ...options.hostsFile, keepLabel: options.keepLabel };
  const hostsFile = await replaceHostsFile(location, (text) => updateHosts(text, services)).catch((error: unknown) => {
    if (error instanceof HostsFileError) return error;
    throw error;
  });
  return { services, lookupFailures, hostsFile };
}

/** More than any Service has; a name with more does not belong in a hosts file. */
const maxAddresses = 32;

/** What a packet can hold unfragmented (DNS Flag Day 2020). */
const udpPayloadSize = 1232;

const recordTypes = { IPv4: "A", IPv6: "AAAA" } as const;

/**
 * The addresses of a name, or that it does not exist: asks each server in turn, over UDP then TCP, until one answers.
 * @throws Error when no server answers, or no answer can be trusted.
 */
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
      const outcome = await exchange({ name, type, server, protocol, timeoutMs, udpPayloadSize });
      if (outcome.kind === "answer" && outcome.reply.rcode === "NXDOMAIN") return "NXDOMAIN";
      const found = outcome.kind === "answer" ? addressesIn(outcome.reply, family) : outcome.why;
      if (typeof found !== "string") return found;
      failures.push(`${server.address} over ${protocol.toUpperCase()}: ${found}`);
    }
  }
  throw new Error(`${type} of ${name}: ${failures.join("; ")}`);
}

/** The addresses in a reply, or why it cannot be trusted. */
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
