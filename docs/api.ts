// `npm run docs:api`: writes docs/api.md, the reference of the control plane, from the same routes as everything else.
import { writeFileSync } from "node:fs";
import { routes } from "../handlers/control/routes.ts";
import type { Schema } from "../handlers/control/routing/named-schemas.ts";
import {
  type Content,
  type OpenApiDocument,
  type Operation,
  openApiDocument,
  type Parameter,
} from "../handlers/control/routing/openapi.ts";
import { refusalMeanings } from "../handlers/control/routing/refusal-meanings.ts";
import type { Route } from "../handlers/control/routing/route.ts";
import { refusalsOf } from "../handlers/control/routing/route-refusals.ts";
import { isFinal, statusOf } from "../handlers/middleware/refusal-form.ts";

export const referenceFile = new URL("api.md", import.meta.url);

export function reference(document: OpenApiDocument = openApiDocument(routes)): string {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ place: `${method.toUpperCase()} ${path}`, operation })),
  );
  const nouns = document.tags.map(({ name }) => {
    const ofNoun = operations.filter(({ operation }) => operation.tags.includes(name));
    return `## ${name}\n\n${ofNoun.map(({ place, operation }) => section(place, operation)).join("\n\n")}`;
  });
  return `# The control plane's API

Made by \`npm run docs:api\` from the routes; the same as an OpenAPI ${document.openapi} document is at \`/v1/openapi.json\`.

${document.info.description}

${nouns.join("\n\n")}

## Codes of errors

A call that is refused with \`x-should-retry: false\` is refused again if it is repeated as it is; \`retry-after\` says when a repeat may succeed.

${table(["Code", "Status", "Repeat", "Meaning"], codeRows())}

## Schemas

${Object.entries(document.components.schemas).map(schemaSection).join("\n\n")}
`;
}

/** The codes that the control plane gives. */
function codeRows(): string[][] {
  const given = new Set(
    Object.values<Record<string, Route>>(routes).flatMap((noun) => Object.values(noun).flatMap(refusalsOf)),
  );
  return [...given].map((code) => {
    return [`\`${code}\``, String(statusOf(code)), isFinal(code) ? "no" : "", refusalMeanings[code]];
  });
}

function schemaSection([name, schema]: [string, Schema]): string {
  const { description = "", properties } = schema;
  const parts = [
    `### ${name}\n\n${description}.`,
    properties ? table(["Field", "Needed", "Value"], fieldRows(schema)) : wordsFor(schema),
  ];
  return parts.join("\n\n");
}

function section(place: string, { summary, description, parameters, requestBody, responses }: Operation): string {
  const [succeeded, ...refused] = Object.entries(responses);
  const [status, { content } = {}] = succeeded ?? [];
  const parts = [
    `### ${place}\n\n${summary}. ${description}`,
    ...(parameters.length > 0 ? [table(["Parameter", "In", "Value"], parameters.map(parameterRow))] : []),
    ...(requestBody ? [`Takes ${linkTo(schemaIn(requestBody.content))}:`, json(requestBody.content)] : []),
    content ? `Answers ${status} with ${linkTo(schemaIn(content))}:\n\n${json(content)}` : `Answers ${status}.`,
    table(
      ["Refused with", "because of"],
      refused.map(([code, response]) => [code, response.description]),
    ),
  ];
  return parts.join("\n\n");
}

function parameterRow({ name, in: place, schema, description }: Parameter): string[] {
  return [`\`${name}\``, place, `${wordsFor(schema)}. ${description}`];
}

function schemaIn({ "application/json": { schema } }: Content): Schema {
  return schema;
}

/** A link to what the schema refers to. */
function linkTo({ $ref = "" }: Schema): string {
  const name = $ref.split("/").at(-1) ?? "";
  return `[${name}](#${name.toLowerCase()})`;
}

function fieldRows(schema: Schema): string[][] {
  return Object.entries(schema.properties ?? {}).map(([name, field]) => [
    `\`${name}\``,
    schema.required?.includes(name) ? "yes" : "",
    wordsFor(field),
  ]);
}

type Field = Parameter["schema"];

/** In a few words; the document says it exactly. */
function wordsFor(schema: Field): string {
  if (typeof schema === "boolean") return "anything";
  const { type, format, items, anyOf, oneOf, $ref, default: usual } = schema;
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  const item = Array.isArray(items) ? undefined : items;
  const words =
    ($ref && linkTo(schema)) ??
    values?.map((value) => `\`${value}\``).join(", ") ??
    anyOf?.map(wordsFor).join(" or ") ??
    oneOf?.map(membersOf).join(" or ") ??
    (item ? `list of: ${wordsFor(item)}` : [type, format && `(${format})`].flat().filter(Boolean).join(" "));
  const value = usual === undefined ? words : `${words}; \`${JSON.stringify(usual)}\` unless given`;
  return schema.description ? `${value}. ${schema.description}` : value;
}

/** The members of an object that is one of several, with the value of the one that tells them apart. */
function membersOf(schema: Field): string {
  const { properties = {}, required = [] } = typeof schema === "boolean" ? {} : schema;
  const members = Object.entries(properties).map(([name, member]) => {
    const value = typeof member === "object" && member.const !== undefined ? `: ${JSON.stringify(member.const)}` : "";
    return `${name}${required.includes(name) ? "" : "?"}${value}`;
  });
  return `\`{ ${members.join(", ")} }\``;
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function json({ "application/json": { example } }: Content): string {
  return `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``;
}

if (import.meta.main) writeFileSync(referenceFile, reference());
