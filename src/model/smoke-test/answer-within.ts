/** Longer than CoreDNS waits for an upstream: its SERVFAIL says more than silence. */
export const answerWithinSeconds = 6;
