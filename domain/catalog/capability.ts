// What a model on the model host takes of the Messages API: beta flags, fields, counting. Known refusals go, what is
// unknown passes: the host's own 400 is better than a feature silently lost.
import * as z from "zod";
import { countingSchema } from "./counting.ts";

/** Sent as it is, not sent, or sent under another name. */
const betaRule = z.union([z.literal("pass"), z.literal("drop"), z.strictObject({ rename: z.string().min(1) })]);

const refusedField = z.strictObject({
  /** From the body's top, `[]` for each element: `tools[].defer_loading`. */
  path: z.string().regex(/^\w+(?:\[\])*(?:\.\w+(?:\[\])*)*$/, "must look like tools[].defer_loading"),
  /** Only elements of this `type` are refused; the path ends in `[]`. */
  type: z.string().min(1).optional(),
  /** Not refused if one of these flags is sent. */
  unless_betas: z.array(z.string().min(1)).min(1).optional(),
});

export const capabilitiesSchema = z.strictObject({
  /** By flag, or by the beginning of flags: `code-execution-*`. A flag's own entry counts first, then the longest beginning. */
  betas: z.record(z.string().min(1), betaRule),
  refused_fields: z.array(refusedField),
  count_tokens: countingSchema,
});

export type Capabilities = z.infer<typeof capabilitiesSchema>;
export type BetaRule = z.infer<typeof betaRule>;
export type RefusedField = z.infer<typeof refusedField>;

/** The flags to send upstream for those that the caller sent: in their order, each once. */
export function sentBetas(capabilities: Capabilities, flags: readonly string[]): string[] {
  const sent = flags.map((flag) => {
    const rule = betaRuleOf(capabilities, flag);
    if (rule === "drop") return undefined;
    return rule === "pass" ? flag : rule.rename;
  });
  return [...new Set(sent.filter((flag) => flag !== undefined))];
}

/** The fields to take out of a body that goes upstream with these flags (the result of `sentBetas`). */
export function refusedFields(capabilities: Capabilities, sent: readonly string[]): RefusedField[] {
  return capabilities.refused_fields.filter(
    ({ unless_betas = [] }) => !unless_betas.some((flag) => sent.includes(flag)),
  );
}

/** Whether the table says anything of this flag. */
export function isListed({ betas }: Capabilities, flag: string): boolean {
  return ruleName(betas, flag) !== undefined;
}

function betaRuleOf({ betas }: Capabilities, flag: string): BetaRule {
  const name = ruleName(betas, flag);
  return (name !== undefined && betas[name]) || "pass";
}

function ruleName(betas: Capabilities["betas"], flag: string): string | undefined {
  if (Object.hasOwn(betas, flag)) return flag;
  return Object.keys(betas)
    .filter((name) => name.endsWith("*") && flag.startsWith(name.slice(0, -1)))
    .sort((one, other) => other.length - one.length)[0];
}
