import type { Container } from "cdk8s-plus-27/lib/imports/k8s";
import type { NodeLocalDnsSettings } from "../model/cluster/node-local-dns";
import { configFolder } from "../model/corefile/forward";
import type { DnsService } from "../model/dns-service";
import { healthPort } from "../model/corefile/hash";
import { cacheReadyPort, cacheVariables, healthHost, saysWhenStopping } from "../model/corefile/node-local-dns";
import { outsideServers } from "../model/node-programs";
import { names } from "../model/object-names";
import type { Plain } from "./plain";
import { confined, dnsContainerPorts, fieldRef, goEnvironment, httpProbe, resources, settled } from "./pod-parts";
import { xtablesLock } from "./rule-writer";

export const configMount = { name: "config-volume", mountPath: configFolder, readOnly: true } as const;

/** Where node-setup writes, and the cache reads, the servers for names outside that the node names. */
export const outsideServersMount = { name: "outside-servers", mountPath: outsideServers.folder } as const;

/** @param hash Of its configuration and image. */
export function cacheContainer(
  settings: NodeLocalDnsSettings,
  { portNames }: DnsService,
  hash: string,
): Plain<Container> {
  const { image, queryPath } = settings;
  const { engine, linkMadeBy } = queryPath;
  const port = healthPort(hash);
  const probe = (timing: Parameters<typeof httpProbe>[2]) => httpProbe("/health", port, timing, healthHost(queryPath));
  // Cilium sends queries past a cache once it is not ready.
  const [every, failures] = linkMadeBy ? [2, 3] : [1, 2];
  const readiness = {
    ...settled,
    periodSeconds: every,
    timeoutSeconds: every,
    failureThreshold: failures,
    successThreshold: 1,
  };
  return {
    name: "node-cache",
    image,
    imagePullPolicy: "IfNotPresent",
    args: engine === "node-cache" ? nodeCacheArgs(settings, port) : ["-conf", `${configFolder}/Corefile`],
    env: [
      { name: cacheVariables.podName, valueFrom: fieldRef("metadata.name") },
      { name: cacheVariables.configHash, value: hash },
      { name: cacheVariables.healthPort, value: String(port) },
      ...goEnvironment(settings.resources),
      ...(linkMadeBy ? [{ name: cacheVariables.nodeAddress, valueFrom: fieldRef("status.hostIP") }] : []),
    ],
    // On the host's network, a declared port becomes a host port, and the scheduler would reject the surge pod.
    // Cilium redirects a port of the Service to the container port of the same name (pkg/redirectpolicy).
    ...(linkMadeBy ? {} : { ports: dnsContainerPorts(portNames) }),
    resources: resources(settings.resources),
    livenessProbe: probe({
      initialDelaySeconds: 60,
      timeoutSeconds: 5,
      failureThreshold: 3,
      periodSeconds: 10,
      successThreshold: 1,
    }),
    readinessProbe: saysWhenStopping(queryPath) ? httpProbe("/ready", cacheReadyPort, readiness) : probe(readiness),
    // Root, but with no permissions except for port 53. Both engines need the same user to share the port in a surge
    // update, and an unprivileged user cannot bind it on the host's network.
    securityContext: {
      ...confined(linkMadeBy === "node-cache" ? ["NET_ADMIN", "NET_BIND_SERVICE", "NET_RAW"] : ["NET_BIND_SERVICE"]),
      // Its image's iptables becomes a link to the node's backend, nft or legacy, when it first runs.
      ...(linkMadeBy === "node-cache" ? { readOnlyRootFilesystem: false } : {}),
      runAsUser: 0,
    },
    volumeMounts: [
      configMount,
      ...(settings.nodeSetup?.config.resolvConf === undefined ? [] : [{ ...outsideServersMount, readOnly: true }]),
      ...(engine === "node-cache" ? [{ name: "run", mountPath: "/run/node-cache" }] : []),
      ...(linkMadeBy === "node-cache" ? [xtablesLock.mount] : []),
    ],
  };
}

// `-localip` always has to list addresses, because node-cache exits without one. Without the upstream Service
// (link-local), its name is not used.
function nodeCacheArgs({ queryPath, metricsAddress }: NodeLocalDnsSettings, port: number): string[] {
  const { listenAddresses, podNameservers, linkMadeBy } = queryPath;
  return [
    "-localip",
    (listenAddresses.length > 0 ? listenAddresses : podNameservers).join(","),
    "-conf",
    "/run/node-cache/Corefile",
    "-basecorefile",
    `${configFolder}/Corefile.base`,
    "-upstreamsvc",
    names.upstreamService,
    ...(linkMadeBy === "node-cache"
      ? [
          // For the rules that it makes.
          "-health-port",
          String(port),
          // Metrics of link and rules, as far as other metrics can be reached.
          "-metrics-listen-address",
          `${metricsAddress === "loopback" ? "127.0.0.1" : `[$(${cacheVariables.nodeAddress})]`}:9353`,
          // The rules come when this file does, not after a minute. Not in a volume: a restarted container has none.
          "-pidfile",
          "/run/node-cache.pid",
        ]
      : ["-setupinterface=false", "-setupiptables=false", "-skipteardown=true"]),
  ];
}
