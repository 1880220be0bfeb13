import type { Autoscaler } from "../kubernetes/kinds";
import { identity } from "../kubernetes/object";
import { running } from "./described";
import { finding, type Findings } from "./finding";
import type { Patient } from "./patient";
import { about, kubectl } from "./suggestions";

/** Autoscalers by load that do not see it, or cannot scale. */
export function autoscalers({ state }: Patient): Findings {
  const all = (running(state, "HorizontalPodAutoscaler") ?? []) as readonly Autoscaler[];
  return all.map((scaler) => {
    const failing = (scaler.status?.conditions ?? []).filter(
      // Of no replicas at all, the pods tell.
      ({ type, status, reason }) => type !== "ScalingLimited" && status === "False" && reason !== "ScalingDisabled",
    );
    return (
      failing.length > 0 &&
      finding(
        "autoscaler-stuck",
        identity(scaler),
        failing.map(({ type, reason, message }) => `${type} is False: ${reason}: ${message}`),
        [
          about(scaler, "describe"),
          kubectl`get apiservice v1beta1.metrics.k8s.io`,
          kubectl`get pods --all-namespaces -l k8s-app=metrics-server -o wide`,
          "mend what serves v1beta1.metrics.k8s.io, or install metrics-server",
        ],
      )
    );
  });
}
