// What AWS runs as the function `payments`.
import { readEnv } from "../contract.ts";
import { payments } from "./contract.ts";
import { paymentsHandler } from "./handler.ts";
import { paymentsDependencies } from "./wiring.ts";

export const handler = paymentsHandler(paymentsDependencies(readEnv(payments)));
