// The entry point of the control plane's function.
import { readEnv } from "../contract.ts";
import { control } from "./contract.ts";
import { controlHandler } from "./handler.ts";
import { controlDependencies } from "./wiring.ts";

export const handler = controlHandler(controlDependencies(readEnv(control)));
