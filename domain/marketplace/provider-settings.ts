// Settings of a workspace for a provider's server: variables of it, of which it gets those that the provider declares and no others. Such a
// server reads many variables, and some of them say where it sends the credential, or which program it is.
import * as z from "zod";
import { fieldRefusal, Refusal, type WrongField } from "../kernel/refusal.ts";
import { fields } from "../kernel/validation.ts";
import type { Provider } from "./provider.ts";
import { settingProblem } from "./setting-form.ts";

/** A runtime takes 50 variables, of which one is the credential's, and this many characters in each (bedrock-agentcore-limits.html). */
const mostEntries = 49;
export const longestValue = 5_000;

const entry = fields({
  name: z.string().describe("Name of the setting, spelled exactly as in the provider's `configuration`"),
  value: z
    .string()
    .max(longestValue, `must have at most ${longestValue} characters`)
    .describe(
      "Value of the setting, in the setting's form. It is stored with the credential, and no answer contains it",
    ),
}).meta({ id: "McpEnvironmentEntry", description: "A setting of a provider's MCP server" });

export const envEntriesBody = z
  .array(entry)
  .max(mostEntries, `must have at most ${mostEntries} entries`)
  .describe(
    "Settings that the provider declares. In a PUT they replace all settings; if they are left out, the settings stay as they are",
  );

export type EnvEntry = z.output<typeof entry>;

const field = "extra_env_entries";

/** @throws Refusal invalid_request that names each entry that the provider does not take, and the names of those that it takes */
export function requireEntries({ provider_id, configuration }: Provider, entries: readonly EnvEntry[]): void {
  const names = configuration.map(({ name }) => name);
  const wrong = entries.flatMap(({ name, value }, place): WrongField[] => {
    const setting = configuration.find((one) => one.name === name);
    if (!setting) {
      const taken = names.length === 0 ? "none" : names.join(", ");
      return [{ path: `${field}.${place}.name`, message: `is no setting of ${provider_id}, which takes ${taken}` }];
    }
    const isTwice = entries.findIndex((other) => other.name === name) !== place;
    if (isTwice) return [{ path: `${field}.${place}.name`, message: "is there twice" }];
    const problem = settingProblem(setting.form, value);
    return problem === undefined ? [] : [{ path: `${field}.${place}.value`, message: problem }];
  });
  if (wrong.length > 0) {
    const message = wrong.map((one) => `${one.path}: ${one.message}`).join("; ");
    throw new Refusal("invalid_request", message, { fields: wrong });
  }
  const missing = configuration.find(({ name, required }) => required && !entries.some((one) => one.name === name));
  if (missing) throw fieldRefusal("invalid_request", field, `must have ${missing.name}: ${missing.description}`);
}

/** The part of kept settings that the provider takes by now: a later program may declare fewer. */
export function takenSettings(
  { configuration }: Provider,
  kept: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const taken = configuration.flatMap(({ name, form }) => {
    const value = Object.hasOwn(kept, name) ? kept[name] : undefined;
    return value === undefined || settingProblem(form, value) !== undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(taken);
}

/** Those of the names that the provider declares. */
export function declaredNames({ configuration }: Provider, names: readonly string[] = []): string[] {
  return names.filter((name) => configuration.some((one) => one.name === name));
}

/** Whether a setting of the provider says where its server sends the credential. */
export function leadsCredential({ configuration }: Provider): boolean {
  return configuration.some(({ form }) => form.kind === "url");
}
