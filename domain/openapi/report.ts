// The report on an OpenAPI document: each operation became a tool, a tool with a loss, or no tool, with the reason.
import * as z from "zod";
import { lossCodes } from "./plain-schema.ts";
import { unsupportedCodes } from "./unsupported.ts";

const loss = z
  .object({
    code: z.enum(lossCodes).describe("Kind of loss"),
    at: z.string().describe("The argument, or its part, e.g. `body.address`"),
    message: z.string().describe("How the tool differs from the document"),
  })
  .meta({ id: "OperationLoss", description: "A difference between an operation and its tool" });

const operation = z
  .object({
    operation: z.string().describe("The operation, e.g. `GET /pets/{id}`"),
    tool: z
      .string()
      .optional()
      .describe("Name of the tool, without the integration's name. Missing if it is not offered"),
    losses: z
      .array(loss)
      .optional()
      .describe("Differences between the operation and its tool. Missing if there are none"),
    reason: z.enum(unsupportedCodes).optional().describe("Why the operation is not offered"),
    message: z.string().optional().describe("Why the operation is not offered, in a sentence"),
  })
  .meta({ id: "OperationOutcome", description: "An operation and what became of it" });

const names = z.array(z.string());

export const specReportSchema = z
  .object({
    base_url: z.string().describe("Address below which the tools call the API"),
    taken: z.int().describe("Number of operations that became tools without a loss"),
    taken_with_loss: z.int().describe("Number of operations that became tools which differ from the document"),
    not_offered: z.int().describe("Number of chosen operations that did not become tools"),
    not_chosen: z.int().describe("Number of operations that were not chosen"),
    operations: z.array(operation).describe("The chosen operations that have a loss or are not offered, at most 1,000"),
  })
  .meta({ id: "SpecReport", description: "What became of the operations of an OpenAPI document" });

export type Loss = z.output<typeof loss>;
export type OperationOutcome = z.output<typeof operation>;
export type SpecReport = z.output<typeof specReportSchema>;

/** Differences of tools from the tools of the version before. */
export const toolDifferenceSchema = z
  .object({
    added: names.describe("Tools that the version before does not have"),
    removed: names.describe("Tools of the version before that are missing"),
    altered: names.describe("Tools whose description or arguments differ"),
  })
  .meta({ id: "ToolDifference", description: "Differences of tools from the version before" });

const mostReported = 1_000;
/** Losses of one operation that are named. */
const mostLosses = 10;

export type ToolDifference = z.output<typeof toolDifferenceSchema>;

/** @param outcomes of the chosen operations */
export function reportOf(outcomes: readonly OperationOutcome[], baseUrl: string, notChosen: number): SpecReport {
  const offered = outcomes.filter(({ tool }) => tool !== undefined);
  const lossless = offered.filter(({ losses }) => losses === undefined);
  const told = outcomes.filter((one) => !lossless.includes(one));
  return {
    base_url: baseUrl,
    taken: lossless.length,
    taken_with_loss: offered.length - lossless.length,
    not_offered: outcomes.length - offered.length,
    not_chosen: notChosen,
    operations: told
      .slice(0, mostReported)
      .map(({ losses, ...one }) => ({ ...one, ...(losses && { losses: losses.slice(0, mostLosses) }) })),
  };
}
