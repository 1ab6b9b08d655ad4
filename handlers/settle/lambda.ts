// What AWS runs to settle from the queue.
import { readEnv } from "../contract.ts";
import { settle } from "./contract.ts";
import { settleHandler } from "./handler.ts";
import { settleDependencies } from "./wiring.ts";

export const handler = settleHandler(settleDependencies(readEnv(settle)));
