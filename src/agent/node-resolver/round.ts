import { type FamilyAnswer, isResolved, type ServiceAnswer, updateHosts } from "../../model/node-resolver/hosts-lines";
import type { Family } from "../../model/syntax/addresses";
import { errorMessage } from "../errors";
import { HostsFileError } from "../hosts-file/error";
import { replaceHostsFile } from "../hosts-file/replace";
import { lookup } from "./lookup";
import type { NodeResolverOptions } from "./options";

export interface Round {
  readonly services: readonly ServiceAnswer[];
  readonly lookupFailures: readonly string[];
  /** `untouched`: nothing resolved, so the file was not even read. */
  readonly hostsFile: "replaced" | "unchanged" | "untouched" | HostsFileError;
}

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
