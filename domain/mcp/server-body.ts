// What people send to register an integration, and to change it.
import * as z from "zod";
import { fields } from "../kernel/validation.ts";
import { upstreamAuthBody } from "../upstream/upstream-auth.ts";
import { upstreamUrlProblem } from "../upstream/upstream-url.ts";
import { targetModes } from "./mcp-server.ts";

const name = z
  .string()
  .max(24, "must have at most 24 characters")
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "must be lower-case letters and digits with single hyphens between")
  .describe("What its tools' names begin with; it cannot be changed");

const endpoint = z
  .string()
  .superRefine((text, context) => {
    const problem = upstreamUrlProblem(text);
    if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
  })
  .describe("The https address of an MCP server")
  .optional();
const spec = z
  .union([z.string().regex(/openapi|swagger/), z.record(z.string(), z.unknown())], {
    error: () => "must be an OpenAPI document, as an object or as a text",
  })
  .describe("An OpenAPI 3.0 or 3.1 document: JSON, or YAML as a text; up to 1 MiB")
  .optional();
const specUri = z
  .string()
  .max(1_024, "must have at most 1024 characters")
  .describe("The `spec_uri` of POST /v1/mcp-specs")
  .optional();
const auth = upstreamAuthBody.describe("How the gateway proves itself to the API or server");

type Source = { endpoint?: unknown; spec?: unknown; spec_uri?: unknown };

export const mcpServerBody = fields({
  name,
  target_mode: z
    .enum(targetModes, { error: () => `must be one of ${targetModes.join(", ")}` })
    .describe("An API by its OpenAPI document, or an MCP server"),
  endpoint,
  spec,
  spec_uri: specUri,
  auth: auth
    .default({ kind: "none" })
    .describe("How the gateway proves itself to the API or server; unless given, by nothing"),
})
  .superRefine(({ target_mode, ...source }: Source & { target_mode: string }, context) => {
    const problem = (field: string, message: string) => context.addIssue({ code: "custom", path: [field], message });
    if (target_mode === "mcp_server") {
      if (source.endpoint === undefined) problem("endpoint", "is required");
      for (const field of ["spec", "spec_uri"] as const) {
        if (source[field] !== undefined) problem(field, "is for target_mode openapi");
      }
      return;
    }
    if (source.endpoint !== undefined)
      problem("endpoint", "is for target_mode mcp_server: an API's address is in its document");
    if ((source.spec === undefined) === (source.spec_uri === undefined))
      problem("spec", "give either spec or spec_uri");
  })
  .meta({ id: "McpServerRegistration", description: "An integration to register" });

/** A change replaces all but the name and the mode. Without a document or an endpoint, and without a secret, the present one stays. */
export const mcpServerChange = fields({ endpoint, spec, spec_uri: specUri, auth })
  .superRefine(({ spec, spec_uri }, context) => {
    if (spec === undefined || spec_uri === undefined) return;
    context.addIssue({ code: "custom", path: ["spec"], message: "give either spec or spec_uri" });
  })
  .meta({ id: "McpServerChange", description: "What replaces an integration's present settings" });

export type McpServerBody = z.output<typeof mcpServerBody>;
export type McpServerChange = z.output<typeof mcpServerChange>;
