// What AWS runs as the meter.
import { readEnv } from "../contract.ts";
import { meter } from "./contract.ts";
import { meterHandler } from "./handler.ts";
import { meterDependencies } from "./wiring.ts";

export const handler = meterHandler(meterDependencies(readEnv(meter)));
