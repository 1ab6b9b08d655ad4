// The forms that a setting of a provider's server may have: each setting is declared with one, and takes no value of another form.
import * as z from "zod";
import { upstreamUrlProblem } from "../upstream/upstream-url.ts";

const scalarForms = [
  z.strictObject({
    kind: z.literal("enum").describe("The value is one of `values`"),
    values: z.array(z.string()).min(1).describe("The allowed values"),
  }),
  z.strictObject({
    kind: z.literal("integer").describe("The value is a whole number"),
    minimum: z.int().describe("The lowest allowed number"),
    maximum: z.int().describe("The highest allowed number"),
  }),
  z.strictObject({ kind: z.literal("boolean").describe("The value is `true` or `false`") }),
  z.strictObject({
    kind: z.literal("text").describe("The value is a text"),
    pattern: z.string().describe("Regular expression that the whole text must match"),
    says: z.string().max(200).describe("The rule of `pattern` in words, e.g. `must be a country's name in English`"),
  }),
  z.strictObject({
    kind: z.literal("url").describe("The value is an https address to which the server sends the credential"),
    hosts: z.array(z.string()).min(1).describe("The hosts that the address may have"),
  }),
] as const;

export const settingFormSchema = z.discriminatedUnion("kind", [
  ...scalarForms,
  z.strictObject({
    kind: z.literal("object").describe("The value is a JSON object"),
    members: z
      .record(z.string(), z.discriminatedUnion("kind", scalarForms))
      .describe("The members that the object may have, by name"),
  }),
]);

export type SettingForm = z.output<typeof settingFormSchema>;

/** Says what is wrong with a setting's value, in words that follow its name; undefined if nothing is. */
export function settingProblem(form: SettingForm, text: string): string | undefined {
  const [issue] = schemaOf(form).safeParse(valueIn(form, text)).error?.issues ?? [];
  if (issue === undefined || issue.path.length === 0) return issue?.message;
  return `has a member ${issue.path.join(".")} that ${issue.message}`;
}

/** A variable is a text, whatever its form. */
function valueIn({ kind }: SettingForm, text: string): unknown {
  if (kind === "integer") return /^-?\d{1,15}$/.test(text) ? Number(text) : text;
  if (kind === "boolean") return text === "true" || (text === "false" ? false : text);
  if (kind !== "object") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function schemaOf(form: SettingForm): z.ZodType {
  const { kind } = form;
  if (kind === "enum") return z.enum(form.values, `must be one of ${form.values.join(", ")}`);
  if (kind === "boolean") return z.boolean("must be true or false");
  if (kind === "text") return z.string(form.says).regex(new RegExp(`^(?:${form.pattern})$`, "u"), form.says);
  if (kind === "url") {
    const says = `must be an https address of ${form.hosts.join(", ")}`;
    return z.string(says).refine((text) => isAddressOf(form.hosts, text), says);
  }
  if (kind === "integer") {
    const says = `must be a whole number from ${form.minimum} to ${form.maximum}`;
    return z.int(says).min(form.minimum, says).max(form.maximum, says);
  }
  const members = Object.entries(form.members).map(([name, member]) => [name, schemaOf(member).optional()]);
  const says = `must be a JSON object that has no members but ${Object.keys(form.members).join(", ")}`;
  return z.strictObject(Object.fromEntries(members), says);
}

function isAddressOf(hosts: readonly string[], text: string): boolean {
  return upstreamUrlProblem(text) === undefined && hosts.includes(new URL(text).host);
}
