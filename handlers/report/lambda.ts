// What AWS runs to report usage.
import { readEnv } from "../contract.ts";
import { report } from "./contract.ts";
import { reportHandler } from "./handler.ts";
import { reportDependencies } from "./wiring.ts";

export const handler = reportHandler(reportDependencies(readEnv(report)));
