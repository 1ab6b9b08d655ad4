// The capabilities of a model on the model host: which beta flags, fields and turns of the Messages API it takes, and who counts
// for it. Known refusals are left out, all else passes: the host's own 400 is better than a feature silently lost.
import * as z from "zod";
import { countingSchema } from "./counting.ts";

/**
 * A flag is sent as it is, sent but left out before others if the host refuses flags (`try`: not every region takes it), not sent, or
 * sent under another name.
 */
const betaRule = z.union([z.enum(["pass", "try", "drop"]), z.strictObject({ rename: z.string().min(1) })]);

const betaEntry = z.strictObject({
  rule: betaRule,
  /** The source of the rule, with the day on which it was read. */
  source: z.string().min(1),
  date: z.iso.date(),
});

/** A version of the Messages API that the host takes from the client, with the source, and the day on which it was read. */
const apiVersion = z.strictObject({ source: z.string().min(1), date: z.iso.date() });

const refusedField = z.strictObject({
  /** The path from the body's top, with `[]` for each element: `tools[].defer_loading`. */
  path: z.string().regex(/^\w+(?:\[\])*(?:\.\w+(?:\[\])*)*$/, "must look like tools[].defer_loading"),
  /** If set, only what is of this `type` is refused, or of types with this beginning: `web_search_*`. */
  type: z.string().min(1).optional(),
  /** If set, only this value is refused. */
  value: z.union([z.string().min(1), z.number()]).optional(),
  /** The field is not refused if one of these flags is sent. */
  unless_betas: z.array(z.string().min(1)).min(1).optional(),
  /** If set beside `refusal`, a tool is left out where others remain, and neither the choice of a tool nor a turn names it. */
  if_offered: z.literal(true).optional(),
  /** Set where the answer would mean something else without the field: the call is refused then. */
  refusal: z
    .strictObject({ reason: z.string().min(1), code: z.enum(["invalid_request", "thread_unsupported_request"]) })
    .optional(),
});

/** The flag under which a call says what becomes of thinking that was bound to another conversation. */
export const bindingControls = "thinking-binding-controls-2026-08-01";

export const capabilitiesSchema = z
  .strictObject({
    /** Rules by flag, or by the beginning of flags: `code-execution-*`. A flag's own entry counts first, then the longest beginning. */
    betas: z.record(z.string().min(1), betaEntry),
    /** Versions that the host takes in place of its own. With any other the model answers in the host's own version. */
    api_versions: z.record(z.iso.date(), apiVersion).default({}),
    refused_fields: z.array(refusedField),
    /** `system` turns inside `messages`: taken, or sent as turns of the user where they stand. */
    system_turns: z.enum(["pass", "as_user"]),
    count_tokens: countingSchema,
  })
  .superRefine((capabilities, context) => {
    for (const message of flagProblems(capabilities)) context.addIssue({ code: "custom", message });
  });

export type Capabilities = z.infer<typeof capabilitiesSchema>;
export type BetaRule = z.infer<typeof betaRule>;
export type BetaEntry = z.infer<typeof betaEntry>;
export type RefusedField = z.infer<typeof refusedField>;

/** The version of the Messages API for the host's body: the caller's, if the model takes it. Undefined is the host's own. */
export function sentVersion(
  { api_versions }: Pick<Capabilities, "api_versions">,
  asked: string | undefined,
): string | undefined {
  return asked !== undefined && Object.hasOwn(api_versions, asked) ? asked : undefined;
}

/** The flags to send upstream for those that the caller sent: in their order, each once. */
export function sentBetas(capabilities: Pick<Capabilities, "betas">, flags: readonly string[]): string[] {
  const sent = flags.map((flag) => {
    const rule = betaRuleOf(capabilities, flag) ?? "pass";
    if (rule === "drop") return undefined;
    return typeof rule === "string" ? flag : rule.rename;
  });
  return [...new Set(sent.filter((flag) => flag !== undefined))];
}

/** Whether the table has a rule for a flag. A flag without a rule is tried. */
export function isListed(capabilities: Pick<Capabilities, "betas">, flag: string): boolean {
  return betaRuleOf(capabilities, flag) !== undefined;
}

/** The flags to leave out first if the host refuses a call's flags, since it does not say which it means. */
export function suspectedBetas(capabilities: Pick<Capabilities, "betas">, sent: readonly string[]): readonly string[] {
  const unlisted = sent.filter((flag) => !isListed(capabilities, flag));
  if (unlisted.length > 0) return unlisted;
  const tried = sent.filter((flag) => betaRuleOf(capabilities, flag) === "try");
  return tried.length > 0 ? tried : sent;
}

/** The fields to take out of a body that goes upstream with these flags (the result of `sentBetas`). */
export function refusedFields(
  capabilities: Pick<Capabilities, "refused_fields">,
  sent: readonly string[],
): RefusedField[] {
  return capabilities.refused_fields.filter(
    ({ unless_betas = [] }) => !unless_betas.some((flag) => sent.includes(flag)),
  );
}

function betaRuleOf({ betas }: Pick<Capabilities, "betas">, flag: string): BetaRule | undefined {
  if (Object.hasOwn(betas, flag)) return betas[flag]?.rule;
  const beginnings = Object.keys(betas)
    .filter((name) => name.endsWith("*") && flag.startsWith(name.slice(0, -1)))
    .sort((one, other) => other.length - one.length);
  return beginnings[0] === undefined ? undefined : betas[beginnings[0]]?.rule;
}

/** A field may depend only on flags that the table lists; else it would come and go with the flags that callers try. */
function flagProblems({ betas, refused_fields }: Pick<Capabilities, "betas" | "refused_fields">): string[] {
  const needed = refused_fields.flatMap(({ path, unless_betas = [] }) => unless_betas.map((flag) => ({ path, flag })));
  return [
    ...needed
      .filter(({ flag }) => !isListed({ betas }, flag))
      .map(({ path, flag }) => `${path} needs the flag ${flag}, which betas does not list`),
    ...Object.entries(betas).flatMap(([flag, { rule }]) => {
      if (typeof rule === "string" || betaRuleOf({ betas }, rule.rename) === "pass") return [];
      return [`${flag} is renamed to ${rule.rename}, which does not pass`];
    }),
  ];
}
