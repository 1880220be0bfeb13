import { defaults } from "../defaults";
import { differences } from "../kubernetes/differences";
import { identity, type KubernetesObject } from "../kubernetes/object";
import { familyOf } from "../syntax/addresses";
import { show } from "../syntax/show";
import { found, type Found, merged, unlessDefault } from "./finding";

interface Transport {
  readonly transport?: string;
  readonly tls?: { readonly serverName?: string; readonly [option: string]: unknown };
}

interface ForwardPlugin {
  readonly upstreams: readonly string[];
  readonly transportConfig?: Transport;
  readonly [option: string]: unknown;
}

interface UpstreamResolvers {
  readonly upstreams?: readonly { readonly type: string; readonly address?: string; readonly port?: number }[];
  readonly policy?: string;
  readonly transportConfig?: Transport;
  readonly [option: string]: unknown;
}

/** OpenShift's `DNS` of operator.openshift.io (openshift/api operator/v1/types_dns.go). */
export function fromOpenShift(dns: KubernetesObject): Found {
  const {
    servers = [],
    upstreamResolvers = {},
    nodePlacement,
    // Read by `ownerOf`.
    managementState: _managementState,
    ...others
  } = dns.spec as {
    managementState?: string;
    servers?: { name?: string; zones: string[]; forwardPlugin: ForwardPlugin }[];
    upstreamResolvers?: UpstreamResolvers;
    nodePlacement?: object;
    readonly [option: string]: unknown;
  };
  const unusual = Object.keys(others).filter((key) => differences(others[key], byDefault[key]).length > 0);
  const { clusterIP, clusterDomain } = (dns.status ?? {}) as { clusterIP?: string; clusterDomain?: string };
  const { findings, unsaid } = merged([
    {
      findings: [
        ...found("clusterDNS", clusterIP && [clusterIP]),
        ...unlessDefault("clusterDomain", clusterDomain, defaults.cluster.clusterDomain),
      ],
      unsaid: [],
    },
    ...servers.map(({ name = "", zones, forwardPlugin }) => fromServer(`server ${name}`, zones, forwardPlugin)),
    fromUpstreams(upstreamResolvers),
    { findings: found("authoritativeDNS.nodePlacement", nodePlacement), unsaid: unusual },
  ]);
  return { findings, unsaid: unsaid.map((what) => `${identity(dns)}: ${what}`) };
}

/** What the API server writes if nobody says otherwise; TTLs of 0 are the operator's own, 900 and 30 s. */
const byDefault: { readonly [option: string]: unknown } = {
  cache: { negativeTTL: "0s", positiveTTL: "0s" },
  logLevel: "Normal",
  operatorLogLevel: "Normal",
};

/** What is asked over TLS must not become plain DNS, and a stub domain has no TLS. */
function fromServer(
  what: string,
  zones: readonly string[],
  { upstreams, transportConfig, ...options }: ForwardPlugin,
): Found {
  if (isTLS(transportConfig))
    return { findings: [], unsaid: [`${what}: ${zones.join(" ")} over TLS, which a stub domain does not have`] };
  // CoreDNS's own policy, which ours has.
  const others = options["policy"] === "Random" ? { ...options, policy: undefined } : options;
  return {
    findings: zones.map((zone) => ({ path: ["stubDomains", zone], value: upstreams })),
    unsaid: otherOptions(what, others),
  };
}

function fromUpstreams({ upstreams = [], policy = "", transportConfig, ...options }: UpstreamResolvers): Found {
  const what = "upstreamResolvers";
  const servers = upstreams.filter(({ type }) => type === "Network");
  const { serverName = "", ...ofTLS } = transportConfig?.tls ?? {};
  const withTLS = isTLS(transportConfig);
  // Without a name to expect, TLS cannot be set.
  const isPlain = !withTLS || (serverName !== "" && servers.length > 0);
  const ours = policies[policy];
  return {
    findings: [
      ...(servers.length > 0 && isPlain
        ? found(
            "upstreamNameservers",
            servers.map((each) => serverOf(each, withTLS)),
          )
        : []),
      ...(withTLS && isPlain ? found("upstreamTLSServerName", serverName) : []),
      ...unlessDefault("upstreamPolicy", ours, defaults.cluster.upstreamPolicy),
    ],
    unsaid: [
      ...(isPlain ? [] : [`${what}: ${addresses(servers)} over TLS without a serverName`]),
      ...(servers.length > 0 && servers.length < upstreams.length
        ? [`${what}: also the nodes' servers (SystemResolvConf); ours: either these or others`]
        : []),
      ...otherOptions(what, { ...options, ...(ours === undefined && { policy }) }),
      ...(withTLS ? otherOptions(`${what}: tls`, ofTLS) : []),
    ],
  };
}

const policies: { readonly [policy: string]: string } = {
  Random: "random",
  RoundRobin: "round_robin",
  Sequential: "sequential",
};

function isTLS(transportConfig: Transport | undefined): boolean {
  return transportConfig?.transport === "TLS";
}

type Upstream = NonNullable<UpstreamResolvers["upstreams"]>[number];

function addresses(servers: readonly Upstream[]): string {
  return servers.length > 0 ? servers.map(({ address }) => address).join(" ") : "the nodes' servers";
}

function serverOf({ address = "", port }: Upstream, withTLS: boolean): string {
  const usual = withTLS ? 853 : 53;
  if (port === undefined || port === usual) return address;
  return `${familyOf(address) === "IPv6" ? `[${address}]` : address}:${port}`;
}

/** The API server writes empty values for what nobody said. */
function otherOptions(what: string, options: object): string[] {
  return Object.entries(options)
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([option, value]) => `${what}: ${option} ${show(value)}`);
}
