// Loaded with --import: when the process ends, what it took of the machine is written to the file that WRIT_BENCH_USAGE names.
import { writeFileSync } from "node:fs";

process.on("exit", () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const usage = { cpuMs: (userCPUTime + systemCPUTime) / 1000, peakMb: maxRSS / 1024 };
  writeFileSync(process.env.WRIT_BENCH_USAGE, JSON.stringify(usage));
});
