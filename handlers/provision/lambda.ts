// What AWS runs as provisioning.
import { readEnv } from "../contract.ts";
import { provision } from "./contract.ts";
import { provisionHandler } from "./handler.ts";
import { provisionDependencies } from "./wiring.ts";

export const handler = provisionHandler(provisionDependencies(readEnv(provision)));
