// Preloaded: on leaving, CPU time (ms) and peak memory (MB) of the process, as one line of JSON.
process.on("exit", () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  process.stderr.write(`${JSON.stringify({ cpu: (userCPUTime + systemCPUTime) / 1000, peak: maxRSS / 1024 })}\n`);
});
