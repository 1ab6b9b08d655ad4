// The OpenAPI 3.1 document of the control plane, made from its routes. docs/api.md follows from it.
import * as z from "zod";
import type { AccessRule } from "../../../domain/access/access-rule.ts";
import { discoveryPath } from "../../../domain/access/discovery.ts";
import type { RefusalCode } from "../../../domain/kernel/refusal.ts";
import { errorBody, isFinal, refusalForms, statusOf } from "../../middleware/refusal-form.ts";
import { type Route, successStatus } from "./route.ts";
import { isConditional, refusalsOf } from "./route-refusals.ts";

type Json = Record<string, unknown>;
type Schema = z.core.JSONSchema.BaseSchema;

/** @param nouns as in `routes.ts`. Each noun becomes a tag, and the name of each route the id of an operation. */
export function openApiDocument(nouns: Record<string, Record<string, Route>>) {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const [noun, routes] of Object.entries(nouns)) {
    for (const [name, route] of Object.entries(routes)) {
      paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationOf(noun, name, route) };
    }
  }
  return {
    openapi: "3.1.1",
    info: { title: "Archway", version: "1", summary: "The control plane", description: introduction },
    servers: [{ url: "/" }],
    tags: Object.keys(nouns).map((name) => ({ name })),
    paths,
    components: {
      schemas: { Error: errorSchema },
      headers: commonHeaders,
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT", description: "An access token of a person" },
      },
    },
  };
}

export type OpenApiDocument = ReturnType<typeof openApiDocument>;
export type Operation = ReturnType<typeof operationOf>;

const introduction = [
  `Open to everybody: this document, and \`${discoveryPath}\`, which tells a client the platform's addresses and app clients.`,
  "Every other call needs an access token with the scope `control:manage`, or one that the call names beside it. HEAD is answered wherever GET is.",
  "Lists come in pages: `next_cursor`, where there is one, is the `cursor` of the next page.",
  "An error says in `error.details.error_code` what is wrong and in `error.details.fields` where.",
].join(" ");

const whoMay: Record<AccessRule, string> = {
  signed_in: "For anyone signed in.",
  member: "For the owner and the developers of the token's workspace.",
  owner: "For the owner of the token's workspace.",
  tenant_owner: "For the owner of the workspace that the path names.",
  tenant_manager: "For the owner of the workspace that the path names, and for platform administrators.",
  tenant_reader: "For the owner of the workspace that the path names, and for platform administrators and support.",
  platform_admin: "For platform administrators.",
  platform_reader: "For platform administrators and support.",
};

function operationOf(noun: string, operationId: string, route: Route) {
  const { summary, access, body, example, opener, recentSignIn } = route;
  const responses: Record<string, ResponseObject> = { [successStatus(route)]: success(route) };
  for (const [status, codes] of byStatus(refusalsOf(route))) responses[status] = refused(status, codes);
  return {
    operationId,
    summary,
    description: [
      whoMay[access],
      ...(opener ? ["Open to the tokens of coding assistants, too."] : []),
      ...(recentSignIn ? ["Needs a sign-in of the last ten minutes."] : []),
    ].join(" "),
    tags: [noun],
    security: [...(opener ? [{ bearer: [opener] }] : []), { bearer: ["control:manage"] }],
    parameters: parametersOf(route),
    ...(body && {
      requestBody: { required: true, content: jsonContent(schemaOf(body, "input"), example.body) },
    }),
    responses,
  };
}

export type Parameter = {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  schema: z.core.JSONSchema._JSONSchema;
} & Json;
export type ResponseObject = { description: string; headers: Json; content?: Content };
type MediaType = { schema: Schema; example: unknown };
export type Content = { "application/json": MediaType; "text/csv"?: MediaType };

function parametersOf(route: Route): Parameter[] {
  const { path, query, idempotent, example } = route;
  const { properties = {}, required = [] }: Schema = query ? schemaOf(query, "input") : {};
  return [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]): Parameter => {
      const schema = { type: "string", minLength: 1, maxLength: 255 } as const;
      return { name, in: "path", required: true, schema, example: example.parameters?.[name] };
    }),
    ...Object.entries(properties).map(([name, schema]): Parameter => {
      return { name, in: "query", required: required.includes(name), schema };
    }),
    ...(idempotent ? [idempotencyKey] : []),
    ...(isConditional(route) ? [ifMatch] : []),
  ];
}

const idempotencyKey: Parameter = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description: "Within 24 hours a repeat with the same key creates nothing again.",
  schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,255}$" },
};

const entityTag = '(W/)?"[\\x21\\x23-\\x7e]{0,100}"';

const ifMatch: Parameter = {
  name: "If-Match",
  in: "header",
  required: false,
  description: "The `ETag` of what was read: the change is refused if there was another one since.",
  schema: { type: "string", pattern: `^(\\*|${entityTag}(\\s*,\\s*${entityTag})*)$` },
};

const commonHeaders = {
  "request-id": { description: "For reports of a problem.", schema: { type: "string" } },
  location: { description: "The address of what was created.", schema: { type: "string" } },
  etag: { description: "The version of what is shown, for `If-Match`.", schema: { type: "string" } },
  "x-next-cursor": { description: "Of CSV: the `cursor` of the next page, if any.", schema: { type: "string" } },
  "retry-after": { description: "Seconds to wait before the next attempt.", schema: { type: "integer" } },
  "x-should-retry": { description: "`false`: a repeat is refused again.", schema: { type: "string", const: "false" } },
  // API Gateway's name for the header `WWW-Authenticate` of a function.
  "x-amzn-remapped-www-authenticate": {
    description: "What is wrong with the credential, as `WWW-Authenticate` says it (RFC 6750).",
    schema: { type: "string" },
  },
};

type CommonHeader = keyof typeof commonHeaders;

function headersNamed(names: CommonHeader[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function success({ response, summary, location, versionedBy, csv, example }: Route): ResponseObject {
  const headers: CommonHeader[] = ["request-id"];
  if (location) headers.push("location");
  if (response && versionedBy) headers.push("etag");
  if (csv) headers.push("x-next-cursor");
  const content = response && {
    ...jsonContent(schemaOf(response, "output"), example.response),
    ...(csv && { "text/csv": csvContent(csv, response) }),
  };
  return { description: summary, headers: headersNamed(headers), ...(content && { content }) };
}

function csvContent(columns: readonly string[], response: z.ZodType): MediaType {
  const ofAll = Object.keys(schemaOf(response, "output").properties ?? {}).filter((name) => columns.includes(name));
  const repeated = ofAll.length > 0 ? `; in each the answer's ${ofAll.map((name) => `\`${name}\``).join(" and ")}` : "";
  const description = `By \`format=csv\` or \`accept: text/csv\`: a line for each entry of \`data\`${repeated}.`;
  return { schema: { type: "string", description }, example: `${columns.join(",")}\r\n` };
}

function byStatus(codes: RefusalCode[]): Map<number, RefusalCode[]> {
  return Map.groupBy(codes, (code) => statusOf(code));
}

function refused(status: number, codes: RefusalCode[]): ResponseObject {
  const [first = "internal"] = codes;
  const details = { properties: { error_code: { enum: codes } } };
  const narrowed = { properties: { error: { properties: { details } } } };
  const headers: CommonHeader[] = ["request-id"];
  if (codes.some(isFinal)) headers.push("x-should-retry");
  if (status === 401 || codes.includes("scope_missing")) headers.push("x-amzn-remapped-www-authenticate");
  if (status === 503) headers.push("retry-after");
  return {
    description: codes.map((code) => `\`${code}\``).join(", "),
    headers: headersNamed(headers),
    content: jsonContent(
      { allOf: [{ $ref: "#/components/schemas/Error" }, narrowed] },
      errorBody(first, "What is wrong, and what is allowed", "5f0c7e0e-8f3b-4c43-9a0f-6f0a3c1d2e4b"),
    ),
  };
}

function jsonContent(schema: Schema, example: unknown): Content {
  return { "application/json": { schema, example } };
}

function schemaOf(schema: z.ZodType, io: "input" | "output"): Schema {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: "any",
    override: ({ jsonSchema }) => {
      if (io === "input") return;
      // Answers may get further fields later, so they are open. A format needs no pattern beside it.
      delete jsonSchema.additionalProperties;
      if (jsonSchema.format) delete jsonSchema.pattern;
    },
  });
  return rest;
}

const errorSchema = schemaOf(
  z.object({
    type: z.literal("error"),
    error: z.object({
      type: z.enum([...new Set(Object.values(refusalForms).map(({ type }) => type))]),
      message: z.string(),
      details: z.object({
        error_code: z.enum(Object.keys(refusalForms)),
        fields: z.array(z.string()).optional(),
        unsupported: z.array(z.string()).optional(),
        tenant_id: z.uuid().optional(),
      }),
    }),
    request_id: z.string(),
  }),
  "output",
);
