// What AWS runs as the function `tenant-keys`.
import { readEnv } from "../contract.ts";
import { tenantKeys } from "./contract.ts";
import { tenantKeysHandler } from "./handler.ts";
import { tenantKeysDependencies } from "./wiring.ts";

export const handler = tenantKeysHandler(tenantKeysDependencies(readEnv(tenantKeys)));
