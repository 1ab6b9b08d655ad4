// How the gateway proves itself to an upstream: with nothing, a bearer token, or an API key. The secret itself is kept elsewhere.
import * as z from "zod";
import { fields } from "../kernel/validation.ts";

const keyLocations = ["header", "query"] as const;

/** Limits of AgentCore's credentialParameterName and credentialPrefix (API_ApiKeyCredentialProvider.html). */
const longestName = 64;
const longestSecret = 8_192;

/** Headers that belong to the connection, to MCP or to the gateway itself. */
const ownHeaders =
  /^(host|cookie|content-.*|transfer-encoding|connection|upgrade|te|trailer|user-agent|origin|accept|mcp-.*|x-amz.*)$/i;

export const secretBody = z
  .string()
  .min(1, "must not be empty")
  .max(longestSecret, `must have at most ${longestSecret} characters`)
  .regex(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/, "must be printable ASCII without line breaks and outer spaces")
  .describe(
    "The credential. It is encrypted with the workspace's own key, and no answer contains it. A PUT without a credential keeps the stored one",
  )
  .optional();

const parameterName = z
  .string()
  .max(longestName, `must have at most ${longestName} characters`)
  .regex(/^[A-Za-z0-9_.-]+$/, "must be letters, digits, _ . -");

const apiKey = fields({
  kind: z.literal("api_key").describe("An API key in a header or in the query"),
  secret: secretBody,
  location: z
    .enum(keyLocations, { error: () => `must be one of ${keyLocations.join(", ")}` })
    .default("header")
    .describe("Where the API key is sent"),
  name: parameterName.describe("Name of the header or query parameter that carries the API key"),
  prefix: z
    .string()
    .max(longestName, `must have at most ${longestName} characters`)
    .regex(/^[\x21-\x7e]+$/, "must be printable ASCII without spaces")
    .describe("Text before the API key in the header. A space is added after it")
    .optional(),
}).superRefine(({ location, name, prefix }, context) => {
  if (location === "header" && ownHeaders.test(name)) {
    context.addIssue({ code: "custom", path: ["name"], message: "is a header that the gateway writes itself" });
  }
  if (location === "query" && prefix !== undefined) {
    context.addIssue({ code: "custom", path: ["prefix"], message: "is for headers alone" });
  }
});

const bodies = [
  fields({ kind: z.literal("none").describe("No credential") }),
  fields({ kind: z.literal("bearer").describe("A bearer token in the header `Authorization`"), secret: secretBody }),
  apiKey,
] as const;
const authKinds = bodies.map(({ shape }) => shape.kind.value);

/** The field `auth` of a request. */
export const upstreamAuthBody = z.discriminatedUnion("kind", bodies, {
  error: (issue) => (issue.code === "invalid_union" ? `must be one of ${authKinds.join(", ")}` : undefined),
});

/** The way of authentication as it is stored and shown, without the credential. */
export const upstreamAuthSchema = z
  .object({
    kind: z.enum(authKinds).describe("Kind of credential: none, a bearer token or an API key"),
    location: z.enum(keyLocations).optional().describe("Where the API key is sent"),
    name: z.string().optional().describe("Name of the header or query parameter that carries the API key"),
    prefix: z.string().optional().describe("Text before the API key in the header"),
  })
  .meta({ id: "UpstreamAuth", description: "How the gateway authenticates itself to an API or MCP server" });

export type UpstreamAuthBody = z.output<typeof upstreamAuthBody>;
export type UpstreamAuth = z.output<typeof upstreamAuthSchema>;

/** The place in a request in which a secret is sent. */
export type SentSecret = { location: "header" | "query"; name: string; prefix?: string | undefined };

export function secretOf(body: UpstreamAuthBody): string | undefined {
  return body.kind === "none" ? undefined : body.secret;
}

/** The auth without its secret. */
export function withoutSecret(body: UpstreamAuthBody): UpstreamAuth {
  if (body.kind !== "api_key") return { kind: body.kind };
  const { kind, location, name, prefix } = body;
  return { kind, location, name, ...(prefix !== undefined && { prefix }) };
}

/** Where the secret goes; undefined where none is sent. A bearer token is an API key in `Authorization` for AgentCore. */
export function sentSecret({ kind, location = "header", name = "", prefix }: UpstreamAuth): SentSecret | undefined {
  if (kind === "none") return undefined;
  return kind === "bearer"
    ? { location: "header", name: "Authorization", prefix: "Bearer" }
    : { location, name, prefix };
}
