// The entry point of the proxy's Lambda function.
import { readEnv, readRuntime } from "../contract.ts";
import { proxy } from "./contract.ts";
import { proxyHandler } from "./handler.ts";
import { proxyDependencies } from "./wiring.ts";

export const handler = proxyHandler(proxyDependencies(readEnv(proxy), readRuntime()));
