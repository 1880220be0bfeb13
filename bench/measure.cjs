// Preloaded: on leaving, CPU time (ms), how much of it was in the kernel, and peak memory (MB) of the process, as one line of JSON.
const { readFileSync } = require("node:fs");

process.on("exit", () => {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  // Not `maxRSS`, which begins with what the process had that started this one.
  const [, peak] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"));
  process.stderr.write(
    `${JSON.stringify({ cpu: (userCPUTime + systemCPUTime) / 1000, kernel: systemCPUTime / 1000, peak: Number(peak) / 1024 })}\n`,
  );
});
