// What AWS runs as the purge.
import { readEnv } from "../contract.ts";
import { purge } from "./contract.ts";
import { purgeHandler } from "./handler.ts";
import { purgeDependencies } from "./wiring.ts";

export const handler = purgeHandler(purgeDependencies(readEnv(purge)));
