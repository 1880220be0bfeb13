/**
 * What doctor finds where a machine was busy: an API server, a cluster DNS or an upstream that answered late, and pods that
 * started before their rights.
 */
export const ofBusyMachine: readonly string[] = [
  "api-unread",
  "cluster-dns-lossy",
  "cluster-dns-silent",
  "queries-fail",
  "queries-pile-up",
  "rights-refused",
  "upstream-silent",
  "watches-break",
  "watches-lost",
];
