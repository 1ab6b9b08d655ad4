// A rewritten document, as it is registered: AgentCore gets it, verifications read it, and the version that follows keeps its names.
import * as z from "zod";
import { list, record } from "../kernel/json.ts";
import { operationsOf, placeOf } from "./document.ts";
import { specReportSchema } from "./report.ts";
import type { ToolNames } from "./tool-names.ts";

export const registeredSpecSchema = z.object({
  /** The OpenAPI document that AgentCore gets. */
  document: z.record(z.string(), z.unknown()),
  report: specReportSchema,
});

export type RegisteredSpec = z.output<typeof registeredSpecSchema>;

/** A tool of an API. `definition` is all that a model and the gateway know of it. */
export type ApiTool = { name: string; method: string; path: string; needsInput: boolean; definition: object };

export function toolsOfSpec({ document }: RegisteredSpec): ApiTool[] {
  return operationsOf(document).map(({ method, template, operation }) => ({
    name: String(operation.operationId),
    method,
    path: template,
    needsInput:
      operation.requestBody !== undefined || list(operation.parameters).some((one) => record(one).required === true),
    definition: operation,
  }));
}

export function namesOfSpec({ document }: RegisteredSpec): ToolNames {
  return new Map(operationsOf(document).map((one) => [placeOf(one), String(one.operation.operationId)]));
}
