// Preloaded: on leaving, CPU time (ms), how much of it was in the kernel, and peak memory (MB) of the process, as one line of JSON.
process.on("exit", () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  process.stderr.write(
    `${JSON.stringify({ cpu: (userCPUTime + systemCPUTime) / 1000, kernel: systemCPUTime / 1000, peak: maxRSS / 1024 })}\n`,
  );
});
