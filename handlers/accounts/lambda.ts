// What AWS runs as the function `accounts`.
import { readEnv } from "../contract.ts";
import { accounts } from "./contract.ts";
import { accountsHandler } from "./handler.ts";
import { accountsDependencies } from "./wiring.ts";

export const handler = accountsHandler(accountsDependencies(readEnv(accounts)));
