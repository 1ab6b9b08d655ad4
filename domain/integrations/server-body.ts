// What people send to register an integration, and to change it.
import * as z from "zod";
import { fields } from "../kernel/validation.ts";
import { envEntriesBody } from "../marketplace/provider-settings.ts";
import { operationChoiceBody } from "../openapi/choice.ts";
import { toolRulesBody } from "../tools/tool-rules.ts";
import { secretBody, upstreamAuthBody } from "../upstream/upstream-auth.ts";
import { upstreamUrlProblem } from "../upstream/upstream-url.ts";
import { customModes } from "./mcp-server.ts";

const name = z
  .string()
  .max(24, "must have at most 24 characters")
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "must be lower-case letters and digits with single hyphens between")
  .describe("Name of the integration. The names of its tools begin with it. It cannot be changed later");

const address = z.string().superRefine((text, context) => {
  const problem = upstreamUrlProblem(text);
  if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
});
const endpoint = address.describe("The https address of an MCP server").optional();
const spec = z
  .union([z.string().regex(/openapi|swagger/), z.record(z.string(), z.unknown())], {
    error: () => "must be an OpenAPI document, as an object or as a text",
  })
  .describe(
    "An OpenAPI 3.0 or 3.1 or Swagger 2.0 document, as a JSON object or as a string with JSON or YAML. A body may have 256 KiB: upload a larger document with POST /v1/mcp-specs",
  )
  .optional();
const specUri = z
  .string()
  .max(1_024, "must have at most 1024 characters")
  .describe("The `spec_uri` from the answer of POST /v1/mcp-specs")
  .optional();
const baseUrl = address
  .describe("Address of the API in place of the one in its document. A PUT gives it together with the document")
  .optional();
const operations = operationChoiceBody
  .describe("The operations that become tools. By default all. A PUT gives it together with the document")
  .optional();
const auth = upstreamAuthBody.describe("How the gateway authenticates itself to the API or MCP server").optional();
const secret = secretBody.describe("The credential for a provider of the marketplace");
const entries = envEntriesBody.optional();
const tools = toolRulesBody.optional();

/** Fields that one of the two kinds alone has. */
const customFields = ["target_mode", "endpoint", "spec", "spec_uri", "base_url", "operations", "auth"] as const;
const providerFields = ["secret", "extra_env_entries"] as const;

type Given = Partial<Record<(typeof customFields)[number] | (typeof providerFields)[number] | "name", unknown>> & {
  provider_id?: string | undefined;
};
type Issues = { addIssue(issue: { code: "custom"; path: string[]; message: string }): void };

export const mcpServerBody = fields({
  name: name.optional(),
  provider_id: z.string().describe("Id of a marketplace provider, as GET /v1/mcp-providers lists them").optional(),
  secret,
  extra_env_entries: entries,
  target_mode: z
    .enum(customModes, { error: () => `must be one of ${customModes.join(", ")}` })
    .describe("For a custom integration: whether it is an API with an OpenAPI document or an MCP server")
    .optional(),
  endpoint,
  spec,
  spec_uri: specUri,
  base_url: baseUrl,
  operations,
  auth,
  tools,
})
  .superRefine((given: Given, context) =>
    given.provider_id === undefined ? custom(given, context) : ofProvider(given, context),
  )
  .meta({
    id: "McpServerRegistration",
    description: "An integration to register: one of the marketplace, or a custom one",
  });

function ofProvider(given: Given, context: Issues): void {
  const [other] = customFields.filter((field) => given[field] !== undefined);
  if (other !== undefined) {
    const message = `is for integrations of the marketplace, and ${other} for custom ones: give one of them`;
    context.addIssue({ code: "custom", path: ["provider_id"], message });
  }
  refuse(given, customFields, "is for custom integrations: the provider has its own", context);
  if (given.secret === undefined) context.addIssue({ code: "custom", path: ["secret"], message: "is required" });
}

function custom(given: Given, context: Issues): void {
  const problem = (field: string, message: string) => context.addIssue({ code: "custom", path: [field], message });
  refuse(given, providerFields, "is for integrations of the marketplace", context);
  if (given.name === undefined) problem("name", "is required");
  if (given.target_mode === undefined) problem("target_mode", "is required, or else provider_id");
  if (given.target_mode === "mcp_server" && given.endpoint === undefined) problem("endpoint", "is required");
  if (given.target_mode === "openapi" && (given.spec === undefined) === (given.spec_uri === undefined)) {
    problem("spec", "give either spec or spec_uri");
  }
  const foreign = isMode(given.target_mode) ? foreignToMode[given.target_mode] : undefined;
  if (foreign) refuse(given, foreign.fields, foreign.message, context);
}

function isMode(mode: unknown): mode is (typeof customModes)[number] {
  return (customModes as readonly unknown[]).includes(mode);
}

/** What a custom integration may not give: the fields of the other mode. */
export const foreignToMode = {
  mcp_server: { fields: ["spec", "spec_uri", "base_url", "operations"], message: "is for target_mode openapi" },
  openapi: {
    fields: ["endpoint"],
    message: "is for target_mode mcp_server: an API's address is in its document",
  },
} as const;

function refuse(given: Given, names: readonly (keyof Given)[], message: string, context: Issues): void {
  for (const field of names) {
    if (given[field] !== undefined) context.addIssue({ code: "custom", path: [field], message });
  }
}

/** A change replaces what it gives, and the rest stays: the name and the kind always do. */
export const mcpServerChange = fields({
  secret,
  extra_env_entries: entries,
  endpoint,
  spec,
  spec_uri: specUri,
  base_url: baseUrl,
  operations,
  auth,
  tools,
})
  .superRefine(({ spec, spec_uri, base_url, operations }, context) => {
    const documents = [spec, spec_uri].filter((one) => one !== undefined);
    const isAlone = documents.length === 0 && (base_url !== undefined || operations !== undefined);
    const problem = (message: string) => context.addIssue({ code: "custom", path: ["spec"], message });
    if (documents.length === 2) problem("give either spec or spec_uri");
    if (isAlone) problem("is needed with base_url and operations: give spec or spec_uri too");
  })
  .meta({
    id: "McpServerChange",
    description: "Changes of an integration. A setting that is left out keeps its value",
  });

export const specCheckBody = fields({
  spec,
  spec_uri: specUri,
  base_url: baseUrl,
  operations,
  auth: upstreamAuthBody.describe("How the gateway would authenticate itself. A credential is not needed").optional(),
  server_id: z
    .string()
    .max(64, "must have at most 64 characters")
    .describe("Id of an integration whose document this one would replace: its tools keep their names")
    .optional(),
})
  .superRefine(({ spec, spec_uri }, context) => {
    if ((spec === undefined) !== (spec_uri === undefined)) return;
    const path = [spec === undefined ? "spec" : "spec_uri"];
    context.addIssue({ code: "custom", path, message: "give either spec or spec_uri" });
  })
  .meta({ id: "SpecCheckRequest", description: "An OpenAPI document to check" });

export type SpecCheckBody = z.output<typeof specCheckBody>;
export type McpServerBody = z.output<typeof mcpServerBody>;
export type McpServerChange = z.output<typeof mcpServerChange>;

/** Fields that a change must not give, because integrations of the other kind have them. */
export const foreignFields = { custom: providerFields, marketplace: customFields };
