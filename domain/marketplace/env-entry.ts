// Settings of a workspace for a provider's runtime: variables of its server, judged before anything is made.
import * as z from "zod";
import { fieldRefusal } from "../kernel/refusal.ts";
import { fields } from "../kernel/validation.ts";
import type { Provider } from "./provider.ts";

/**
 * A runtime takes 50 variables, names of 100 characters and values of 5,000
 * (bedrock-agentcore/latest/devguide/bedrock-agentcore-limits.html). One of the 50 is the credential's.
 */
const mostEntries = 49;
const longestName = 100;
export const longestValue = 5_000;
/** All entries are stored in one secret, of 65,536 bytes at the most (API_CreateSecret.html), with the credential. */
const mostBytes = 56 * 1_024;

/** Variables of the system, of Node and of AWS: a server that could set them would be another program than the one that is pinned. */
const reserved =
  /^(aws_|_|ld_|dyld_|node_|npm_|otel_|archway_|agentcore_|bedrock_)|^(path|home|pwd|user|shell|port|host|hostname|tmpdir)$/i;

const entry = fields({
  name: z
    .string()
    .max(longestName, `must have at most ${longestName} characters`)
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "must be letters, digits and _, and begin with no digit")
    .refine((name) => !reserved.test(name), "is reserved for the platform")
    .describe("The variable's name"),
  value: z
    .string()
    .min(1, "must not be empty")
    .max(longestValue, `must have at most ${longestValue} characters`)
    .regex(/^\P{Cc}*$/u, "must have no line breaks and no other control characters")
    .describe("Its value. It is kept with the credential, and shown by no answer"),
}).meta({ id: "McpEnvironmentEntry", description: "A variable of an integration's runtime" });

export const envEntriesBody = z
  .array(entry)
  .max(mostEntries, `must have at most ${mostEntries} entries`)
  .superRefine((entries, context) => {
    for (const [place, { name }] of entries.entries()) {
      if (entries.findIndex((other) => other.name === name) === place) continue;
      context.addIssue({ code: "custom", path: [place, "name"], message: "is there twice" });
    }
    if (Buffer.byteLength(JSON.stringify(entries)) <= mostBytes) return;
    context.addIssue({ code: "custom", message: `must have at most ${mostBytes} bytes in all, as JSON` });
  })
  .describe("Settings of a runtime provider. A PUT with them replaces all of them; without, they stay");

export type EnvEntry = z.output<typeof entry>;

/** @throws Refusal invalid_request unless the provider takes these entries */
export function requireEntries(provider: Provider, entries: readonly EnvEntry[]): void {
  const field = "extra_env_entries";
  if (provider.kind !== "runtime") {
    if (entries.length === 0) return;
    throw fieldRefusal("invalid_request", field, `are for runtime providers, and ${provider.provider_id} is none`);
  }
  const own = entries.findIndex(({ name }) => name === provider.secret_variable);
  if (own >= 0) throw fieldRefusal("invalid_request", `${field}.${own}.name`, "is the credential's: send it as secret");
  const missing = provider.configuration.find(
    ({ name, required }) => required && !entries.some((one) => one.name === name),
  );
  if (missing) throw fieldRefusal("invalid_request", field, `must have ${missing.name}: ${missing.description}`);
}
