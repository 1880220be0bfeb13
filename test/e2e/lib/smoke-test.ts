import type { Cluster } from "../../../rig/cluster/cluster";
import type { Kubectl, KubernetesObject } from "../../../rig/cluster/kubectl";
import { until } from "../../../rig/until";

/** How a Job of the smoke test ended. */
export interface SmokeTestResult {
  readonly ended: "Complete" | "Failed";
  /** From the pod's creation to the Job's end. */
  readonly seconds: number;
  /** What the pod's status keeps of the report. */
  readonly report: readonly string[];
}

interface Job extends KubernetesObject {
  readonly status?: {
    readonly startTime?: string;
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly lastTransitionTime: string;
      readonly message?: string;
    }[];
  };
}

interface TestPod extends KubernetesObject {
  readonly status: {
    readonly containerStatuses?: readonly { readonly state: { readonly terminated?: { readonly message?: string } } }[];
  };
}

/** Waits until the Jobs have ended: from the pods' network, and from a node's. */
export async function smokeTestEnded({ kubectl }: Cluster): Promise<{ pod: SmokeTestResult; host: SmokeTestResult }> {
  const [pod, host] = await until("the end of the smoke test", 120, async () => {
    const jobs = (await smokeTestJobs(kubectl)).filter(({ metadata }) => metadata["deletionTimestamp"] === undefined);
    const isHost = ({ metadata }: Job) => metadata.name.includes("-host-");
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

export function smokeTestJobs(kubectl: Kubectl): Promise<Job[]> {
  return kubectl.list<Job>("jobs", "kube-system", "k8s-app=cluster-dns-smoke-test");
}

async function resultOf(kubectl: Kubectl, job: Job): Promise<SmokeTestResult | undefined> {
  const end = job.status?.conditions?.find(
    ({ type, status }) => (type === "Complete" || type === "Failed") && status === "True",
  );
  if (!end) return undefined;
  const ofJob = `batch.kubernetes.io/controller-uid=${String(job.metadata.uid)}`;
  const pods = await kubectl.list<TestPod>("pods", "kube-system", ofJob);
  const message = pods[0]?.status.containerStatuses?.[0]?.state.terminated?.message ?? end.message ?? "";
  return {
    ended: end.type as SmokeTestResult["ended"],
    seconds: (Date.parse(end.lastTransitionTime) - Date.parse(job.status?.startTime ?? "")) / 1000,
    report: message.split("\n"),
  };
}
