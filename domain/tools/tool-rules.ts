// Which of an integration's tools are offered, and which to owners alone.
import * as z from "zod";
import { fieldRefusal, type WrongField } from "../kernel/refusal.ts";
import { fields } from "../kernel/validation.ts";
import type { TenantRole } from "../people/user.ts";

/** AgentCore's quota of tools for one target (bedrock-agentcore/latest/devguide/bedrock-agentcore-limits.html). */
const mostTools = 1_000;

const names = z
  .array(z.string().min(1).max(256))
  .max(mostTools, `must have at most ${mostTools} names`)
  .refine((all) => new Set(all).size === all.length, "must name each tool once");

/** The field `tools` of a request. */
export const toolRulesBody = fields({
  offered: names
    .min(1, "must name a tool at least")
    .describe("Names of the tools that are offered. By default all tools are offered")
    .optional(),
  owners_only: names.describe("Names of the tools that only owners see and call").default([]),
})
  .superRefine(({ offered, owners_only }, context) => {
    const place = offered === undefined ? -1 : owners_only.findIndex((name) => !offered.includes(name));
    if (place < 0) return;
    context.addIssue({ code: "custom", path: ["owners_only", place], message: "is not among those that are offered" });
  })
  .meta({ id: "ToolRulesInput", description: "Which tools are offered, and which of them only owners may use" });

/** The rules in the form in which they are stored. */
export const toolRulesSchema = z.object({ offered: z.array(z.string()).optional(), owners_only: z.array(z.string()) });

export type ToolRules = z.output<typeof toolRulesSchema>;

/** Why a tool is not for somebody, in words for a model; undefined if it is. @param tool without its integration's name */
export function reasonAgainstTool(rules: ToolRules | undefined, tool: string, role: TenantRole): string | undefined {
  if (!rules) return undefined;
  if (rules.offered && !rules.offered.includes(tool)) return "This workspace does not offer this tool.";
  if (role !== "owner" && rules.owners_only.includes(tool)) return "Only owners of this workspace may call this tool.";
  return undefined;
}

/** @param known the integration's tools @throws Refusal invalid_request for a tool that it has not */
export function requireKnownTools({ offered = [], owners_only }: ToolRules, known: readonly string[]): void {
  for (const [field, named] of Object.entries({ offered, owners_only })) {
    const place = named.findIndex((name) => !known.includes(name));
    if (place < 0) continue;
    throw fieldRefusal("invalid_request", `tools.${field}.${place}`, "is no tool of the integration");
  }
}

/** Whether rules forbid nothing to anybody. */
export function isOpen({ offered, owners_only }: ToolRules): boolean {
  return offered === undefined && owners_only.length === 0;
}

/** The rules that allow what each of these allows; undefined of none. */
export function strictest([first, ...rest]: readonly ToolRules[]): ToolRules | undefined {
  if (!first) return undefined;
  return rest.reduce((one, other) => {
    const offered =
      one.offered && other.offered ? one.offered.filter((name) => other.offered?.includes(name)) : undefined;
    const named = offered ?? one.offered ?? other.offered;
    return { ...(named && { offered: named }), owners_only: [...new Set([...one.owners_only, ...other.owners_only])] };
  }, first);
}

/**
 * Where rules allow what the owner's do not; undefined if they are within these.
 * @param known the integration's tools: no other one has to be named
 */
export function widerThan(
  owners: ToolRules,
  { offered, owners_only }: ToolRules,
  known: readonly string[],
): WrongField | undefined {
  if (owners.offered) {
    const message = `the owner offers ${owners.offered.join(", ") || "none"} alone`;
    if (!offered) return { path: "tools.offered", message };
    const place = offered.findIndex((name) => !owners.offered?.includes(name));
    if (place >= 0) return { path: `tools.offered.${place}`, message };
  }
  const lifted = owners.owners_only.find(
    (name) => known.includes(name) && !owners_only.includes(name) && (offered?.includes(name) ?? true),
  );
  if (lifted === undefined) return undefined;
  return {
    path: "tools.owners_only",
    message: `must keep ${lifted}: the owner restricted it, and the owner alone lifts that`,
  };
}

/** Reads the rules of a workspace's integrations. */
export interface ToolRulesReader {
  /** The rules by the integration's name; an integration without rules is not among them. */
  of(tenantId: string): Promise<ReadonlyMap<string, ToolRules>>;
}
