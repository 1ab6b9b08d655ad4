// What AWS runs for the payment provider's events.
import { readEnv } from "../contract.ts";
import { webhook } from "./contract.ts";
import { webhookHandler } from "./handler.ts";
import { webhookDependencies } from "./wiring.ts";

export const handler = webhookHandler(webhookDependencies(readEnv(webhook)));
