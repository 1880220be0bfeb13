import type { Cluster } from "../../../rig/cluster/cluster";
import type { Kubectl, KubernetesObject } from "../../../rig/cluster/kubectl";
import { until } from "../../../rig/until";
import type { Job, Pod } from "../../../src/model/kubernetes/kinds";

type JobObject = Job & KubernetesObject;

/** How a Job of the smoke test ended, with what its pod's status keeps of the report. */
interface Result {
  readonly ended: "Complete" | "Failed";
  readonly report: readonly string[];
}

/** Waits until the Jobs have ended: from the pods' network, and from a node's. */
export async function smokeTestEnded({ kubectl }: Cluster): Promise<{ pod: Result; host: Result }> {
  const [pod, host] = await until("the end of the smoke test", 120, async () => {
    const jobs = (await smokeTestJobs(kubectl)).filter(({ metadata }) => metadata["deletionTimestamp"] === undefined);
    const isHost = ({ metadata }: JobObject) => metadata.name.includes("-host-");
    const results = await Promise.all(
      [jobs.find((job) => !isHost(job)), jobs.find(isHost)].map((job) => job && resultOf(kubectl, job)),
    );
    return results.every((result) => result !== undefined) && results;
  });
  if (!pod || !host) throw new Error("not two Jobs");
  return { pod, host };
}

/** Each Job that is there, with its report if it has ended. */
export async function smokeTestReports({ kubectl }: Cluster): Promise<string> {
  const lines = (await smokeTestJobs(kubectl)).map(async (job) => {
    const { ended = "running", report = [] } = (await resultOf(kubectl, job)) ?? {};
    return [`${job.metadata.name} ${ended}`, ...report].join("\n  ");
  });
  return (await Promise.all(lines)).join("\n");
}

export function smokeTestJobs(kubectl: Kubectl): Promise<JobObject[]> {
  return kubectl.list<JobObject>("jobs", "kube-system", "k8s-app=cluster-dns-smoke-test");
}

async function resultOf(kubectl: Kubectl, job: JobObject): Promise<Result | undefined> {
  const end = job.status?.conditions?.find(
    ({ type, status }) => (type === "Complete" || type === "Failed") && status === "True",
  );
  if (!end) return undefined;
  const ofJob = `batch.kubernetes.io/controller-uid=${String(job.metadata.uid)}`;
  const pods = await kubectl.list<Pod>("pods", "kube-system", ofJob);
  const message = pods[0]?.status?.containerStatuses?.[0]?.state?.terminated?.message ?? end.message ?? "";
  return { ended: end.type as Result["ended"], report: message.split("\n") };
}
