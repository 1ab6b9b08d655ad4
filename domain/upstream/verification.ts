// What a probe of an integration found, as people see it, and what has changed since the probe before.
import * as z from "zod";
import type { ProbedTool } from "./upstream.ts";
import { type FailureReason, failureReasons } from "./upstream-failure.ts";

const names = z.array(z.string());

export const verificationSchema = z
  .object({
    verified: z.boolean().describe("Whether the integration answered with its tools"),
    tool_count: z.int().describe("Number of the integration's tools; 0 if the verification failed"),
    verified_at: z.iso.datetime().describe("When the integration was asked"),
    tools: names.describe("Names of the tools, without the integration's name"),
    changed: z
      .object({
        added: names.describe("Tools that were added since the last successful verification"),
        removed: names.describe("Tools that are missing since the last successful verification"),
        altered: names.describe("Tools whose description or schema changed since the last successful verification"),
      })
      .meta({ id: "ToolChanges", description: "What changed since the last successful verification" }),
    reason: z.enum(failureReasons).optional().describe("Why the verification failed"),
    message: z.string().optional().describe("Why the verification failed, in a sentence"),
  })
  .meta({ id: "Verification", description: "Result of the last verification of an integration" });

export type Verification = z.output<typeof verificationSchema>;

/** Why a probe got no answer that verifies, in a word and in a sentence. */
export const probeFailureSchema = z.object({ reason: z.enum(failureReasons), message: z.string() });

export type ProbeFailure = { reason: FailureReason; message: string };

/** An answer of the function `probe`. */
export const probeOutcomeSchema = z.union([
  z.object({ tools: z.array(z.object({ name: z.string(), digest: z.string() })) }),
  probeFailureSchema,
]);

export type ProbeOutcome = { tools: ProbedTool[] } | ProbeFailure;

/** Digests of tools by their names. A tool that no probe has seen yet has an empty one. */
export type KnownTools = Record<string, string>;

export function knownTools(tools: readonly ProbedTool[]): KnownTools {
  return Object.fromEntries(tools.map(({ name, digest }) => [name, digest]));
}

/** @param known the tools of the last probe that succeeded */
export function verificationOf(outcome: ProbeOutcome, known: KnownTools, now: number): Verification {
  const verifiedAt = new Date(now).toISOString();
  if ("reason" in outcome) {
    const nothing = { added: [], removed: [], altered: [] };
    return { verified: false, tool_count: 0, verified_at: verifiedAt, tools: [], changed: nothing, ...outcome };
  }
  const found = knownTools(outcome.tools);
  const tools = Object.keys(found);
  return {
    verified: true,
    tool_count: tools.length,
    verified_at: verifiedAt,
    tools,
    changed: {
      added: tools.filter((name) => !Object.hasOwn(known, name)),
      removed: Object.keys(known).filter((name) => !Object.hasOwn(found, name)),
      altered: tools.filter((name) => Object.hasOwn(known, name) && known[name] !== "" && known[name] !== found[name]),
    },
  };
}

export function isChanged({ added, removed, altered }: Verification["changed"]): boolean {
  return added.length + removed.length + altered.length > 0;
}
