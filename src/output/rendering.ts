import { renderCluster, type RenderedCluster } from "../charts/render-cluster";
import type { NamedCluster } from "../config/read-clusters";
import type { AuthoritativeDnsSettings } from "../model/cluster/authoritative-dns";
import type { Cluster } from "../model/cluster/cluster";
import type { Applier } from "../model/gitops/applier";
import { applierOf } from "../model/gitops/objects";
import type { Replicas } from "../model/gitops/replicas";
import { namespace } from "../model/object-names";
import { rolloutSeconds } from "../model/size/rollout";
import { clusterFiles, type Files } from "./cluster-files";
import { headerPath } from "./header";
import { withRecord } from "./record";

export interface Rendering {
  readonly named: NamedCluster;
  readonly rendered: RenderedCluster;
  readonly gitops: ReturnType<Applier["objects"]>;
  readonly files: Files;
}

/** Renders a cluster: reads no file, writes none. */
export function render(named: NamedCluster): Rendering {
  const { name, files, description, cluster } = named;
  const clusterFile = headerPath(files[0]);
  const rendered = renderCluster(cluster);
  const gitops = gitOpsOf(named, rendered);
  const rest = clusterFiles(name, clusterFile, { ...rendered, gitops });
  return { named, rendered, gitops, files: withRecord(rest, { cluster: name, clusterFile, description }) };
}

/** The controller's own objects, by folder. */
export function gitOpsOf({ name, cluster }: NamedCluster, rendered: RenderedCluster): ReturnType<Applier["objects"]> {
  const { monitoring, authoritativeDns } = cluster.components;
  return applierOf(cluster.said.gitops).objects({
    cluster: name,
    components: rendered.components.filter(({ objects }) => objects.length > 0).map((component) => component.name),
    namespaces: [...new Set([namespace, monitoring?.namespace ?? namespace])],
    replicas: replicasOf(authoritativeDns),
    seconds: secondsOf(cluster, rendered),
  });
}

/** Of rollouts, and of the smoke test: a minute is for applying it. */
function secondsOf({ said, components: { smokeTest } }: Cluster, { components }: RenderedCluster) {
  const rolled = components.filter(({ objects }) => objects.some(({ kind }) => kind === "DaemonSet"));
  return {
    ...Object.fromEntries(rolled.map(({ name }) => [name, rolloutSeconds(said.size)])),
    ...(smokeTest && { "smoke-test": smokeTest.timeoutSeconds + 60 }),
  };
}

function replicasOf(settings: AuthoritativeDnsSettings | undefined): Replicas | undefined {
  const count = settings?.autoscaler?.min ?? settings?.replicas;
  return count === undefined ? undefined : { count, isAutoscaled: settings?.autoscaler !== undefined };
}
