// The OpenAPI 3.1 document of the control plane, made from its routes. docs/api.md is a table of the same routes.
import * as z from "zod";
import type { AccessRule } from "../../../domain/access/access-rule.ts";
import { discoveryPath } from "../../../domain/access/discovery.ts";
import type { RefusalCode } from "../../../domain/kernel/refusal.ts";
import { errorBody, isFinal, refusalForms, secondsToWait, statusOf } from "../../middleware/refusal-form.ts";
import { NamedSchemas, type Schema } from "./named-schemas.ts";
import { parameterDescriptions } from "./path-parameters.ts";
import { type Route, successStatus } from "./route.ts";
import { isConditional, refusalsOf } from "./route-refusals.ts";
import { type Body, wordsFor, writtenFields } from "./writers.ts";

type Json = Record<string, unknown>;

/** @param nouns as in `nouns.ts`. Each noun becomes a tag, and the name of each route the id of an operation. */
export function openApiDocument(nouns: Record<string, Record<string, Route>>) {
  const schemas = new NamedSchemas();
  schemas.refer(errorSchema, "output");
  const paths: Record<string, Record<string, Operation>> = {};
  const descriptions = parameterDescriptions(nouns);
  for (const [noun, routes] of Object.entries(nouns)) {
    for (const [name, route] of Object.entries(routes)) {
      paths[route.path] = {
        ...paths[route.path],
        [route.method.toLowerCase()]: operationOf(noun, name, route, { schemas, descriptions }),
      };
    }
  }
  return {
    openapi: "3.1.1",
    info: { title: "Archway", version: "1", summary: "The control plane", description: introduction.join(" ") },
    servers: [{ url: "/" }],
    tags: Object.keys(nouns).map((name) => ({ name })),
    paths,
    components: {
      schemas: schemas.all(),
      headers: commonHeaders,
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT", description: "An access token of a person" },
      },
    },
  };
}

export type OpenApiDocument = ReturnType<typeof openApiDocument>;
export type Operation = ReturnType<typeof operationOf>;

const wrongField = z
  .object({
    path: z
      .string()
      .describe(
        "Place of the wrong part: a field such as `grant.allowed_models.0`, or the name of a header or parameter",
      ),
    message: z.string().describe("What is wrong with this part, or what is allowed"),
  })
  .meta({ id: "WrongField", description: "A wrong part of a request" });

/** Sentences that hold for every call. */
export const introduction = [
  `Two documents need no token: the OpenAPI document, and \`${discoveryPath}\`, which tells a client the platform's addresses and app clients.`,
  "Every call needs an access token with the scope `control:manage`, or with another scope that the call names.",
  "HEAD is answered wherever GET is.",
  "Lists are sorted newest first, except grants (by person) and usage (by its groups).",
  "Lists come in pages: to get the next page, send the answer's `next_cursor` as `cursor`. The last page has no `next_cursor`.",
  "An error names its cause for programs in `error.details.error_code`, and the wrong parts of the request in `error.details.fields`.",
  "API Gateway, in front of the platform, has its own errors, which hold only a `message`: 429 (more than 200 calls a second by all callers together), 500 and 503. Repeat the call after a pause.",
  "An answer leaves out a field that has no value. In a request `null` removes a field's value.",
  "Each of the fields `dev_sub`, `owner_sub`, `actor`, `created_by` and `updated_by` holds the `user_id` of a person.",
  "A repeated DELETE gets the same answer as the first one.",
];

/** The sentences that say who may make a call. */
export function callersOf({ access, openers = [], recentSignIn }: Route): string[] {
  return [
    `Callers: ${callers[access]}.`,
    ...(openers.length > 0 ? ["Tokens of coding assistants are accepted, too."] : []),
    ...(recentSignIn ? ["The caller must have signed in within the last ten minutes."] : []),
  ];
}

const callers: Record<AccessRule, string> = {
  signed_in: "anyone signed in",
  member: "the owner and the developers of the token's workspace",
  owner: "the owner of the token's workspace",
  tenant_owner: "the owner of the workspace in the path",
  tenant_manager: "the owner of the workspace in the path, and platform administrators",
  tenant_reader: "the owner of the workspace in the path, platform administrators, and platform support",
  platform_admin: "platform administrators",
  platform_reader: "platform administrators and platform support",
};

/** The parts of the document that its operations share. */
type Parts = { schemas: NamedSchemas; descriptions: Readonly<Record<string, string>> };

function operationOf(noun: string, operationId: string, route: Route, parts: Parts) {
  const { schemas } = parts;
  const { summary, body, example, openers = [] } = route;
  const responses: Record<string, ResponseObject> = { [successStatus(route)]: success(route, schemas) };
  for (const [status, codes] of byStatus(refusalsOf(route))) responses[status] = refused(status, codes);
  return {
    operationId,
    summary,
    description: [...callersOf(route), ...(body ? writerSentences(body) : [])].join(" "),
    tags: [noun],
    security: [...openers, "control:manage"].map((scope) => ({ bearer: [scope] })),
    parameters: parametersOf(route, parts),
    ...(body && {
      requestBody: { required: true, content: jsonContent(schemas.refer(body.schema, "input"), example.body) },
    }),
    responses,
  };
}

/** Says of the fields that are not everybody's whose they are. A body of one writer is for those whom the route lets in. */
function writerSentences({ writers }: Body): string[] {
  const byWords = new Map<string, string[]>();
  for (const { path, writer } of writtenFields(writers)) {
    const isSaid = writer === "caller" || (path === "" && typeof writer === "string");
    if (!isSaid) byWords.set(wordsFor(writer), [...(byWords.get(wordsFor(writer)) ?? []), path]);
  }
  return [...byWords].map(([words, paths]) => {
    const named = paths.map((path) => (path === "" ? "The body" : `\`${path}\``)).join(", ");
    return `${named} may be set by ${words}.`;
  });
}

export type Parameter = {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description: string;
  schema: z.core.JSONSchema._JSONSchema;
} & Json;
export type ResponseObject = {
  description: string;
  headers: Json;
  content?: Content;
  /** The values that `error.details.error_code` can have. */
  "x-error-codes"?: RefusalCode[];
};
type MediaType = { schema: Schema; example: unknown };
export type Content = { "application/json": MediaType; "text/csv"?: MediaType };

function parametersOf(route: Route, { schemas, descriptions }: Parts): Parameter[] {
  const { path, query, idempotent, example } = route;
  const { properties = {}, required = [] }: Schema = query ? schemas.refer(query, "input") : {};
  const exampleOf = (name: string) => (example.query?.[name] === undefined ? {} : { example: example.query[name] });
  return [
    ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]): Parameter => {
      const description = descriptions[name] ?? "";
      const schema = { type: "string", minLength: 1, maxLength: 255 } as const;
      return { name, in: "path", required: true, description, schema, example: example.parameters?.[name] };
    }),
    ...Object.entries(properties).map(([name, property]): Parameter => {
      const { description = "", ...schema } = property as Schema;
      // A list is one text with commas.
      const style = schema.type === "array" ? { style: "form", explode: false } : {};
      return {
        name,
        in: "query",
        required: required.includes(name),
        description,
        schema,
        ...style,
        ...exampleOf(name),
      };
    }),
    ...(idempotent ? [idempotencyKey] : []),
    ...(isConditional(route) ? [ifMatch] : []),
  ];
}

const idempotencyKey: Parameter = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "Key of the caller's choice. Within 24 hours, repeating the request with the same key creates nothing twice.",
  schema: { type: "string", pattern: "^[\\x21-\\x7e]{1,255}$" },
};

const entityTag = '(W/)?"[\\x21\\x23-\\x7e]{0,100}"';

const ifMatch: Parameter = {
  name: "If-Match",
  in: "header",
  required: false,
  description: "The `ETag` of an earlier answer. The change is refused if the record has changed since.",
  schema: { type: "string", pattern: `^(\\*|${entityTag}(\\s*,\\s*${entityTag})*)$` },
};

const commonHeaders = {
  "request-id": { description: "Id of the request, for reports of a problem.", schema: { type: "string" } },
  location: { description: "Address of the created record.", schema: { type: "string" } },
  etag: { description: "Version of the record in the answer, for `If-Match`.", schema: { type: "string" } },
  "x-next-cursor": {
    description: "For CSV: value of `cursor` for the next page. Missing on the last page.",
    schema: { type: "string" },
  },
  "retry-after": { description: "Seconds to wait before the next attempt.", schema: { type: "integer" } },
  "x-should-retry": {
    description: "`false`: the same request would be refused again.",
    schema: { type: "string", const: "false" },
  },
  // API Gateway's name for the header `WWW-Authenticate` of a function.
  "x-amzn-remapped-www-authenticate": {
    description: "What is wrong with the credential, in the format of `WWW-Authenticate` (RFC 6750).",
    schema: { type: "string" },
  },
};

type CommonHeader = keyof typeof commonHeaders;

function headersNamed(names: CommonHeader[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function success(
  { response, summary, location, versionedBy, csv, example }: Route,
  schemas: NamedSchemas,
): ResponseObject {
  const headers: CommonHeader[] = ["request-id"];
  if (location) headers.push("location");
  if (response && versionedBy) headers.push("etag");
  if (csv) headers.push("x-next-cursor");
  const content = response && {
    ...jsonContent(schemas.refer(response, "output"), example.response),
    ...(csv && { "text/csv": csvContent(csv, response) }),
  };
  return { description: summary, headers: headersNamed(headers), ...(content && { content }) };
}

function csvContent(columns: readonly string[], response: z.ZodType): MediaType {
  const ofAll = Object.keys(response instanceof z.ZodObject ? response.shape : {}).filter((name) =>
    columns.includes(name),
  );
  const repeated = ofAll.length > 0 ? `; in each the answer's ${ofAll.map((name) => `\`${name}\``).join(" and ")}` : "";
  const description = `By \`format=csv\` or \`accept: text/csv\`: a line for each entry of \`data\`${repeated}.`;
  return { schema: { type: "string", description }, example: `${columns.join(",")}\r\n` };
}

function byStatus(codes: RefusalCode[]): Map<number, RefusalCode[]> {
  return Map.groupBy(codes, (code) => statusOf(code));
}

function refused(status: number, codes: RefusalCode[]): ResponseObject {
  const [first = "internal"] = codes;
  const headers: CommonHeader[] = ["request-id"];
  if (codes.some(isFinal)) headers.push("x-should-retry");
  if (status === 401 || codes.includes("scope_missing")) headers.push("x-amzn-remapped-www-authenticate");
  if (codes.some(secondsToWait)) headers.push("retry-after");
  return {
    description: codes.map((code) => `\`${code}\``).join(", "),
    "x-error-codes": codes,
    headers: headersNamed(headers),
    content: jsonContent(
      { $ref: "#/components/schemas/ErrorResponse" },
      errorBody(first, "What is wrong, and what is allowed", "5f0c7e0e-8f3b-4c43-9a0f-6f0a3c1d2e4b"),
    ),
  };
}

function jsonContent(schema: Schema, example: unknown): Content {
  return { "application/json": { schema, example } };
}

const errorSchema = z
  .object({
    type: z.literal("error").describe("Distinguishes an error from another answer"),
    error: z
      .object({
        type: z
          .enum([...new Set(Object.values(refusalForms).map(({ type }) => type))])
          .meta({ id: "ErrorType", description: "Kind of an error" })
          .describe("Kind of the error, as the model vendor's own API names it"),
        message: z.string().describe("What is wrong and what is allowed, for people"),
        details: z
          .object({
            error_code: z
              .enum(Object.keys(refusalForms))
              .meta({ id: "ErrorCode", description: "Cause of an error" })
              .describe("Cause of the error, for programs. Later versions can add values"),
            fields: z.array(wrongField).optional().describe("The wrong parts of the request"),
            unsupported: z.array(z.string()).optional().describe("Parts of the request that are not supported"),
            tenant_id: z
              .uuid()
              .optional()
              .describe("Id of the workspace that the error is about, if the request did not name it"),
          })
          .meta({ id: "ErrorDetails", description: "Details of an error, for programs" }),
      })
      .meta({ id: "ErrorFacts", description: "Facts about an error" }),
    request_id: z.string().describe("Id of the request, for reports of a problem"),
  })
  .meta({ id: "ErrorResponse", description: "Why a request was refused" });
