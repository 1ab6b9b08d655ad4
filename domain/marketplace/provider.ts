// A provider of the marketplace: an API or an MCP server that the platform knows, so that a workspace gives its credential alone. It is
// data, judged when it is read.
import * as z from "zod";
import { upstreamAuthSchema } from "../upstream/upstream-auth.ts";
import { settingFormSchema } from "./setting-form.ts";

const text = z.string().min(1).max(500);

const providerKinds = ["openapi", "runtime"] as const;

const setting = z
  .strictObject({
    name: z.string().describe("Name of the setting in `extra_env_entries`"),
    description: text.describe("What the setting is for"),
    required: z.boolean().describe("Whether a registration must give the setting"),
    form: settingFormSchema.describe("The values that the setting takes"),
  })
  .meta({ id: "McpProviderSetting", description: "A setting of a provider, in addition to its credential" });

const tool = z
  .strictObject({
    name: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/)
      .describe("Name of the tool. MCP clients show it after the integration's name"),
    description: text.describe("What the tool does"),
  })
  .meta({ id: "McpProviderTool", description: "A tool that the provider's integrations have" });

const shown = {
  /** The provider's id, and the name of its integration if none is given. */
  provider_id: z
    .string()
    .max(24)
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/)
    .describe("Id of the provider"),
  name: text.describe("Name of the provider, for people"),
  description: text.describe("What the provider's tools are for"),
  icon: z
    .string()
    .startsWith("data:image/svg+xml,")
    .describe("Icon of the provider, as a `data:` address with an SVG image"),
  secret: z
    .strictObject({
      label: text.describe("The provider's name for the credential"),
      description: text.describe("How to get the credential, and which rights it needs"),
      documentation_url: z.url({ protocol: /^https$/ }).describe("Address of the provider's page about the credential"),
    })
    .meta({ id: "McpProviderSecret", description: "The credential that a registration must give" }),
  /** A variable that names a file or another credential, or that chooses what runs, is none of them. */
  configuration: z
    .array(setting)
    .describe("The settings that an integration of this provider takes. Other settings are refused"),
  tools: z.array(tool).min(1).describe("The tools that an integration of this provider has"),
};

/** The part of a provider that people see. */
export const shownProviderSchema = z
  .strictObject({
    ...shown,
    kind: z
      .enum(providerKinds)
      .describe(
        "`openapi`: the gateway calls the provider's API. `runtime`: the provider's MCP server runs in a runtime of the workspace",
      ),
  })
  .meta({ id: "McpProvider", description: "A provider of the marketplace" });

const own = {
  ...shown,
  /** How the API takes the credential. */
  auth: upstreamAuthSchema.extend({ kind: upstreamAuthSchema.shape.kind.exclude(["none"]) }),
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
