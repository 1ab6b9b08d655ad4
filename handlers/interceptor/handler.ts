// Judges each message that passes a gateway, and logs the calls of tools. The event holds the caller's token: it is never logged.
import type { Log } from "../../domain/kernel/log.ts";
import { interception } from "../../domain/tools/interception.ts";
import { type StandingDependencies, standings } from "../../domain/tools/standing.ts";
import type { ToolCallLog } from "../../domain/tools/tool-call.ts";

export type InterceptorDependencies = StandingDependencies & { toolCalls: ToolCallLog; log: Log };

export function interceptorHandler(deps: InterceptorDependencies) {
  return interception({ ...deps, standing: standings(deps) });
}
