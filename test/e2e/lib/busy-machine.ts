/**
 * What doctor finds where a machine was busy: an API server or an upstream that answered late, and pods that started before
 * their rights.
 */
export const ofBusyMachine: readonly string[] = [
  "api-unread",
  "queries-fail",
  "queries-pile-up",
  "rights-refused",
  "upstream-silent",
  "watches-break",
  "watches-lost",
];
