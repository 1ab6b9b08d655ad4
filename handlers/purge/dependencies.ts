// What the purge works with; wiring.ts brings the real ones.
import type { Queue } from "../../domain/kernel/queue.ts";
import type { PurgeDependencies, PurgeJob } from "../../domain/provisioning/purge.ts";

export type PurgeHandlerDependencies = PurgeDependencies & { jobs: Queue<PurgeJob> };
