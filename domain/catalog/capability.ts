// What a model on the model host takes of the Messages API: beta flags, fields, turns, counting. Known refusals go, what is
// unknown passes: the host's own 400 is better than a feature silently lost.
import * as z from "zod";
import { countingSchema } from "./counting.ts";

/** Sent as it is, not sent, or sent under another name. */
const betaRule = z.union([z.literal("pass"), z.literal("drop"), z.strictObject({ rename: z.string().min(1) })]);

const betaEntry = z.strictObject({
  rule: betaRule,
  /** Who says so, and the day on which it was read. */
  source: z.string().min(1),
  date: z.iso.date(),
});

const refusedField = z.strictObject({
  /** From the body's top, `[]` for each element: `tools[].defer_loading`. */
  path: z.string().regex(/^\w+(?:\[\])*(?:\.\w+(?:\[\])*)*$/, "must look like tools[].defer_loading"),
  /** Only elements of this `type` are refused, or of types with this beginning: `web_search_*`; the path ends in `[]`. */
  type: z.string().min(1).optional(),
  /** Only this value is refused. */
  value: z.string().min(1).optional(),
  /** Not refused if one of these flags is sent. */
  unless_betas: z.array(z.string().min(1)).min(1).optional(),
  /** Without it the answer would mean something else: the call is refused by name, and the field is never left out. */
  refusal: z
    .strictObject({ reason: z.string().min(1), code: z.enum(["invalid_request", "thread_unsupported_request"]) })
    .optional(),
});

export const capabilitiesSchema = z
  .strictObject({
    /** By flag, or by the beginning of flags: `code-execution-*`. A flag's own entry counts first, then the longest beginning. */
    betas: z.record(z.string().min(1), betaEntry),
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

/** The flags to send upstream for those that the caller sent: in their order, each once. */
export function sentBetas(capabilities: Pick<Capabilities, "betas">, flags: readonly string[]): string[] {
  const sent = flags.map((flag) => {
    const rule = betaRuleOf(capabilities, flag) ?? "pass";
    if (rule === "drop") return undefined;
    return rule === "pass" ? flag : rule.rename;
  });
  return [...new Set(sent.filter((flag) => flag !== undefined))];
}

/** Whether the table says what becomes of a flag. One of which it says nothing is tried. */
export function isListed(capabilities: Pick<Capabilities, "betas">, flag: string): boolean {
  return betaRuleOf(capabilities, flag) !== undefined;
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

/** A field that hangs on a flag which the table does not know would come and go with what callers try. */
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
