/** Thresholds for a kernel that is emulated, and a watchdog in it that is as slow as everything else. */
export const patient = {
  probeIntervalMs: 1000,
  probeTimeoutMs: 5000,
  probeLateMs: 5000,
  successes: 2,
  recoverAfterMs: 1000,
  recoverMaxMs: 1000,
  clusterTimeoutMs: 5000,
  hostTimeoutMs: 120_000,
};
