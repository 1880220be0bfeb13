import type { WrittenBlock, WrittenCorefile } from "../corefile/corefile";
import { keysOf } from "../corefile/corefile";
import type { PodSpec } from "../kubernetes/kinds";
import { identity, type KubernetesObject } from "../kubernetes/object";
import { mountedConfigMaps, podTemplate } from "../kubernetes/pods";
import { coreDnsContainer, corefilePaths } from "../running/core-dns";
import { errorMessage } from "../syntax/error-message";
import { parseJSON } from "../syntax/json";
import { isMapping } from "../syntax/mapping";
import { show } from "../syntax/show";
import { mountedFiles } from "./mounted-files";
import { readCorefile } from "./read-corefile";

export interface FoundCorefile {
  readonly source?: string;
  readonly corefile?: WrittenCorefile;
  readonly unread: readonly string[];
}

/** What `node-cache` puts in the place of words of its Corefile (kubernetes/dns cmd/node-cache/app/configmap.go). */
interface Pillars {
  readonly clusterServer: string;
  readonly configMap: KubernetesObject | undefined;
}

/**
 * The Corefile of the pods of a workload; none if they have no CoreDNS, as those of kube-dns.
 * @param inlinesHosts Whether files of `hosts` are read as entries.
 * @param pillars Only of a node cache.
 */
export function corefileOf(
  workload: KubernetesObject,
  configMaps: readonly KubernetesObject[],
  inlinesHosts: boolean,
  pillars?: Pillars,
): FoundCorefile {
  const { spec } = podTemplate(workload);
  const container = coreDnsContainer(spec);
  const isThere = (name: string) => configMaps.some(({ metadata }) => metadata.name === name);
  const missing = mountedConfigMaps(spec).filter((name) => !isThere(name));
  const unread = missing.map((name) => `ConfigMap ${name}, which DNS pods mount, is not among the objects`);
  if (!container) return { unread };
  const paths = corefilePaths(container);
  const [path = ""] = paths.slice(-1);
  const mounted = mountedFiles(spec, container, path.replace(/\/[^/]*$/, ""), configMaps);
  const read = paths.find((each) => mounted.files.has(each));
  const file = read === undefined ? undefined : mounted.files.get(read);
  if (read === undefined || !file)
    return missing.length > 0
      ? { unread }
      : {
          unread: [
            ...unread,
            `${identity(workload)}: Corefile ${path} is not read: no ConfigMap among the objects has it; compare it with the cluster file yourself`,
          ],
        };
  return parsedFrom(file.source, unread, () => {
    const corefile = readCorefile(withPillars(file.text, pillars), read, mounted, inlinesHosts);
    return withOwnServers(pillars ? [...corefile, ...stubBlocks(pillars.configMap)] : corefile, spec);
  });
}

/** With the servers that a pod's own /etc/resolv.conf has, in the place of its node's or beside them. */
function withOwnServers(corefile: WrittenCorefile, { dnsPolicy, dnsConfig }: PodSpec): WrittenCorefile {
  const { nameservers = [] } = dnsConfig ?? {};
  const servers = [...(dnsPolicy === "None" ? [] : [resolvConf]), ...nameservers];
  if (nameservers.length === 0) return corefile;
  return corefile.map(({ plugins, ...block }) => ({
    ...block,
    plugins: plugins.map((each) => ({
      ...each,
      args: each.args.flatMap((arg) => (arg === resolvConf ? servers : arg)),
    })),
  }));
}

const resolvConf = "/etc/resolv.conf";

/** The one of a ConfigMap, without a workload that shows which counts. */
export function corefileIn(configMap: KubernetesObject): FoundCorefile {
  const files = { files: new Map(), unknown: [""] };
  return parsedFrom(identity(configMap), [], () =>
    readCorefile(configMap.data?.["Corefile"] ?? "", "/Corefile", files, false),
  );
}

/** What kube-dns, without a Corefile, does as its ConfigMap says. */
export function corefileOfKubeDNS(configMap: KubernetesObject): FoundCorefile {
  const upstreams = upstreamsOf(configMap) ?? [resolvConf];
  const corefile = [...stubBlocks(configMap), forwarding(".", upstreams)];
  return { source: identity(configMap), corefile, unread: unknownKeys(configMap) };
}

function parsedFrom(source: string, unread: readonly string[], parse: () => WrittenCorefile): FoundCorefile {
  try {
    return { source, corefile: parse(), unread };
  } catch (error) {
    if (error instanceof NotAsWritten) throw error;
    return { unread: [...unread, `${source}: cannot be read as a Corefile: ${errorMessage(error)}`] };
  }
}

function withPillars(text: string, pillars: Pillars | undefined): string {
  if (!pillars) return text;
  const { clusterServer, configMap } = pillars;
  return text
    .replaceAll("__PILLAR__CLUSTER__DNS__", clusterServer)
    .replaceAll("__PILLAR__UPSTREAM__SERVERS__", (upstreamsOf(configMap) ?? [resolvConf]).join(" "));
}

/** What node-cache and kube-dns do with a stub domain. */
function stubBlocks(configMap: KubernetesObject | undefined): WrittenBlock[] {
  const domains = json(configMap, "stubDomains", isMapping, '{"corp.example": ["10.1.2.3"]}') ?? {};
  return Object.entries(domains).map(([zone, servers]) => forwarding(zone, [servers].flat().map(String)));
}

function forwarding(zone: string, servers: readonly string[]): WrittenBlock {
  return {
    keys: keysOf([zone]),
    plugins: [
      { name: "cache", args: ["30"], options: [] },
      { name: "forward", args: [".", ...servers], options: [] },
    ],
  };
}

function upstreamsOf(configMap: KubernetesObject | undefined): string[] | undefined {
  return json(configMap, "upstreamNameservers", Array.isArray, '["10.1.2.3"]')?.map(String);
}

function unknownKeys(configMap: KubernetesObject): string[] {
  const { stubDomains: _stubDomains, upstreamNameservers: _servers, ...others } = configMap.data ?? {};
  return Object.entries(others).map(([key, text]) => `${identity(configMap)}: ${key} ${show(text)}`);
}

class NotAsWritten extends Error {}

/** @throws Error if the text is not JSON of the right shape. */
function json<T>(
  configMap: KubernetesObject | undefined,
  key: string,
  isShaped: (value: unknown) => value is T,
  example: string,
): T | undefined {
  const text = configMap?.data?.[key];
  if (!configMap || text === undefined) return undefined;
  const value = parseJSON(text);
  if (isShaped(value)) return value;
  throw new NotAsWritten(
    `${identity(configMap)}: data.${key}: ${show(text)} cannot be read; accepted: JSON such as ${example}`,
  );
}
