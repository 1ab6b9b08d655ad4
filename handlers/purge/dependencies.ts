// What the purge works with; wiring.ts brings the real ones.
import type { PurgeDependencies, PurgeJobQueue } from "../../domain/tenancy/purge.ts";

export type PurgeHandlerDependencies = PurgeDependencies & { jobs: PurgeJobQueue };
