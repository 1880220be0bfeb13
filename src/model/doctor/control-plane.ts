import { identity } from "../kubernetes/object";
import type { Lease } from "../kubernetes/kinds";
import { finding, type Findings } from "./finding";
import type { Patient } from "./patient";
import { look, system } from "./suggestions";

/** What stays as it is while a program of the control plane does not run. */
const stays: { readonly [lease: string]: string } = {
  "kube-controller-manager": "no pod is replaced, and Services keep the endpoints that they have",
  "kube-scheduler": "new pods get no node",
};

/**
 * Programs of the control plane that have stopped, by the clock of the newest Lease: API servers renew theirs, too. By
 * that of the API server if none is renewed: clocks do not differ by so much.
 */
export function controlPlane({ state: { leases = [], now } }: Patient): Findings {
  const renewed = ({ spec }: Lease) => Date.parse(spec?.renewTime ?? "") || 0;
  const newest = Math.max(...leases.map(renewed));
  const isNone = now.getTime() - newest > 10 * 60_000;
  return leases.map((lease) => {
    const { name } = lease.metadata;
    const ageMs = (isNone ? now.getTime() : newest) - renewed(lease);
    // Another one takes over after 15 s.
    if (stays[name] === undefined || ageMs < 60_000) return undefined;
    // A cluster does not do without the program for a day: it runs elsewhere, or without a Lease.
    const id = ageMs < 24 * 3_600_000 ? "controller-stopped" : "controller-lease-left";
    const evidence = `${identity(lease)} was renewed last at ${lease.spec?.renewTime} by ${lease.spec?.holderIdentity}: ${stays[name]}`;
    const start = `start ${name} again; or delete a Lease that nothing uses any more`;
    const why =
      isNone && "no Lease of kube-system is renewed: etcd may take no writes (its alarm NOSPACE), or all have stopped";
    return finding(id, name, [evidence, why], [look(lease), system`get pods -l component=${name} -o wide`, start]);
  });
}
