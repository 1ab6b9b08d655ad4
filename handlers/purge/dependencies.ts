// What the purge works with; wiring.ts brings the real ones.
import type { PurgeDependencies, PurgeJobQueue } from "../../domain/provisioning/purge.ts";

export type PurgeHandlerDependencies = PurgeDependencies & { jobs: PurgeJobQueue };
