// AWS runs this as the function `token`, with the user pool's token endpoint.
import { powertoolsLog } from "../../adapters/log.ts";
import { tokenEndpoint } from "../../adapters/user-pool/token-endpoint.ts";
import { readEnv } from "../contract.ts";
import { token } from "./contract.ts";
import { tokenHandler } from "./handler.ts";

const env = readEnv(token);

export const handler = tokenHandler({ endpoint: tokenEndpoint(env.TOKEN_URL), log: powertoolsLog("token") });
