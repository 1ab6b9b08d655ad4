// What AWS runs to mail notices.
import { readEnv } from "../contract.ts";
import { notify } from "./contract.ts";
import { notifyHandler } from "./handler.ts";
import { notifyDependencies } from "./wiring.ts";

export const handler = notifyHandler(notifyDependencies(readEnv(notify)));
