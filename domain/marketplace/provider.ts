// A provider of the marketplace: an API or an MCP server that the platform knows, so that a workspace gives its credential alone. It is
// data, judged when it is read.
import * as z from "zod";
import { upstreamAuthSchema } from "../upstream/upstream-auth.ts";
import { settingFormSchema } from "./setting-form.ts";

const text = z.string().min(1).max(500);

const providerKinds = ["openapi", "runtime"] as const;

const setting = z
  .strictObject({
    name: z.string().describe("The entry's name in `extra_env_entries`"),
    description: text.describe("What it is for"),
    required: z.boolean().describe("Whether a registration must give it"),
    form: settingFormSchema.describe("The values that it takes"),
  })
  .meta({ id: "McpProviderSetting", description: "A setting of a provider, beside its credential" });

const tool = z
  .strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/)
      .describe("As an MCP client names it, after the integration's name"),
    description: text.describe("What it does"),
  })
  .meta({ id: "McpProviderTool", description: "A tool that a provider's integrations have" });

const shown = {
  /** The provider's id, and the name of its integration if none is given. */
  provider_id: z
    .string()
    .max(24)
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)
    .describe("The provider's id"),
  name: text.describe("The provider's name, for people"),
  description: text.describe("What its tools are good for"),
  icon: z.string().startsWith("data:image/svg+xml,").describe("A picture, as an address that holds it"),
  secret: z
    .strictObject({
      label: text.describe("What the provider calls it"),
      description: text.describe("Where it comes from, and what it must be allowed to do"),
      documentation_url: z.url({ protocol: /^https$/ }).describe("The provider's page about it"),
    })
    .meta({ id: "McpProviderSecret", description: "The credential that a registration must give" }),
  /** A variable that names a file or another credential, or that chooses what runs, is none of them. */
  configuration: z.array(setting).describe("The settings that its integrations take, and no others"),
  tools: z.array(tool).min(1).describe("The tools that its integrations have"),
};

/** The part of a provider that people see. */
export const shownProviderSchema = z
  .strictObject({
    ...shown,
    kind: z
      .enum(providerKinds)
      .describe("`openapi`: the gateway calls its API. `runtime`: its MCP server runs for the workspace alone"),
  })
  .meta({ id: "McpProvider", description: "A provider of the marketplace" });

const own = {
  ...shown,
  /** How the API takes the credential. */
  auth: upstreamAuthSchema.extend({ kind: z.enum(["bearer", "api_key"]) }),
  /** A read that tells a good credential from a bad one and changes nothing. */
  check: z.strictObject({
    url: z.url({ protocol: /^https$/ }),
    headers: z.record(z.string(), z.string()).optional(),
    /** Statuses by which this API refuses a credential, beside 401 and 403. */
    refused_by: z.array(z.int()).optional(),
  }),
};

export const providerSchema = z.discriminatedUnion("kind", [
  /** `document` is in OpenAPI 3.0. */
  z.strictObject({ ...own, kind: z.literal("openapi"), document: z.record(z.string(), z.unknown()) }),
  z.strictObject({
    ...own,
    kind: z.literal("runtime"),
    /** A package of npm that the program pins and bundles. */
    package: z.string(),
    /** Files of the package that the MCP server reads beside its code, by their path in the package. */
    files: z.array(z.string()).optional(),
    /** The environment variable in which the package's MCP server reads the credential. */
    secret_variable: z.string().regex(/^[A-Z][A-Z0-9_]*$/),
    /** The hosts that its MCP server may reach (runtimes/confined-network.ts). */
    hosts: z.array(z.hostname()).min(1),
  }),
]);

export type Provider = z.output<typeof providerSchema>;
export type RuntimeProvider = Extract<Provider, { kind: "runtime" }>;
export type ShownProvider = z.output<typeof shownProviderSchema>;

/** A provider without what only the platform needs to know. */
export function shownProvider(provider: Provider): ShownProvider {
  const { provider_id, name, description, icon, kind, secret, configuration, tools } = provider;
  return { provider_id, name, description, icon, kind, secret, configuration, tools };
}
