// What AWS runs as the function `reconcile`.
import { readEnv } from "../contract.ts";
import { reconcile } from "./contract.ts";
import { reconcileHandler } from "./handler.ts";
import { reconcileDependencies } from "./wiring.ts";

export const handler = reconcileHandler(reconcileDependencies(readEnv(reconcile)));
