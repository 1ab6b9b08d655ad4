// Loaded before the profiled program: takes a CPU profile of its main thread between two questions.
import { type Profiler, Session } from "node:inspector/promises";
import { answer } from "./child.ts";

const intervalMicros = 200;
const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.setSamplingInterval", { interval: intervalMicros });

answer<undefined, void>("startProfile", () => session.post("Profiler.start"));
answer<undefined, Profiler.Profile>("stopProfile", async () => (await session.post("Profiler.stop")).profile);
