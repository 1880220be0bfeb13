import type { Service, Workload } from "../kubernetes/kinds";
import { podTemplate, portOf } from "../kubernetes/pods";
import type { DnsServiceOptions } from "../props/dns-service";

/**
 * A DNS Service as a cluster file describes it. What its objects do not show is undefined.
 * @param workload What has its pods, which give a port by name its number.
 */
export function describeService({ metadata, spec }: Service, workload: Workload | undefined): DnsServiceOptions {
  const { ports = [], selector } = spec;
  const [udp, tcp] = ["UDP", "TCP"].map((wanted) =>
    ports.find(({ port, protocol = "TCP" }) => port === 53 && protocol === wanted),
  );
  const { port, targetPort = port } = udp ?? tcp ?? {};
  const pod = workload ? podTemplate(workload).spec : { containers: [] };
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    selector,
    targetPort: portOf(pod, targetPort),
    portNames: { udp: udp?.name, tcp: tcp?.name },
  };
}
