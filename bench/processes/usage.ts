// Loaded before each measured program, a peer's included: tells its CPU time and memory, and ends it with the benchmark.
import { answer } from "./child.ts";

/** CPU of all threads in milliseconds since the start, memory in bytes. */
export type Usage = { cpuMs: number; residentBytes: number };

answer<undefined, Usage>("usage", () => {
  const { user, system } = process.cpuUsage();
  return { cpuMs: (user + system) / 1000, residentBytes: process.memoryUsage.rss() };
});
process.on("disconnect", () => process.exit());
