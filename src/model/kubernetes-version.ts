/** Minor versions of Kubernetes 1 that we support. */
export const supportedMinors = { oldest: 28, newest: 37 } as const;

/** What only some supported versions have, and the first minor version that may have it. */
export const features = {
  /** FlowSchema and PriorityLevelConfiguration: v1 in 1.29 (KEP-1040). */
  flowControl: 29,
  /** kube-proxy's nftables mode: alpha in 1.29 (KEP-3866). */
  nftables: 29,
  /** ValidatingAdmissionPolicy: GA in 1.30 (KEP-3488). */
  validatingAdmissionPolicy: 30,
  /** Service `trafficDistribution: PreferClose`: beta in 1.31 (KEP-4444). */
  preferClose: 31,
  /** `matchLabelKeys` of a pod affinity term: beta in 1.31 (KEP-3633). That of a topology spread: beta in 1.27 (KEP-3243). */
  matchLabelKeysInPodAffinity: 31,
  /** `PreferSameZone` and `PreferSameNode`: beta in 1.34 (KEP-3015). */
  preferSameNode: 34,
  /** Toleration operators `Gt` and `Lt`: alpha in 1.35, and still off by default in 1.37 (KEP-5471). */
  numericTolerations: 35,
  /** MutatingAdmissionPolicy: GA in 1.36 (KEP-3962). */
  mutatingAdmissionPolicy: 36,
} as const;

/** The minor version of `"1.34"`, or undefined if it is malformed or unsupported. */
export function minorVersion(version: string): number | undefined {
  const minor = Number(/^1\.([1-9]\d{0,2})$/.exec(version)?.[1]);
  return minor >= supportedMinors.oldest && minor <= supportedMinors.newest ? minor : undefined;
}
