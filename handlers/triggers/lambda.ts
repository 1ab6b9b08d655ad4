// What AWS runs as the user pool's triggers.
import { readEnv } from "../contract.ts";
import { triggers } from "./contract.ts";
import { triggersHandler } from "./handler.ts";
import { triggersDependencies } from "./wiring.ts";

export const handler = triggersHandler(triggersDependencies(readEnv(triggers)));
