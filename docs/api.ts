// `npm run docs:api`: writes docs/api.md, the reference of the control plane, from the same routes as everything else.
import { writeFileSync } from "node:fs";
import { routes } from "../handlers/control/routes.ts";
import {
  type Content,
  type OpenApiDocument,
  type Operation,
  openApiDocument,
  type Parameter,
} from "../handlers/control/routing/openapi.ts";

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
`;
}

function section(place: string, { summary, description, parameters, requestBody, responses }: Operation): string {
  const [succeeded, ...refused] = Object.entries(responses);
  const [status, { content } = {}] = succeeded ?? [];
  const parts = [
    `### ${place}\n\n${summary}. ${description}`,
    ...(parameters.length > 0 ? [table(["Parameter", "In", "Value"], parameters.map(parameterRow))] : []),
    ...(requestBody
      ? [table(["Field", "Needed", "Value"], fieldRows(requestBody.content)), json(requestBody.content)]
      : []),
    content ? `Answers ${status}:\n\n${json(content)}` : `Answers ${status}.`,
    table(
      ["Refused with", "because of"],
      refused.map(([code, response]) => [code, response.description]),
    ),
  ];
  return parts.join("\n\n");
}

function parameterRow({ name, in: place, schema, description }: Parameter): string[] {
  return [`\`${name}\``, place, description ? `${wordsFor(schema)}. ${description}` : wordsFor(schema)];
}

function fieldRows({ "application/json": { schema } }: Content): string[][] {
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
  const { type, format, items, anyOf, default: usual } = schema;
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  const item = Array.isArray(items) ? undefined : items;
  const words =
    values?.map((value) => `\`${value}\``).join(", ") ??
    anyOf?.map(wordsFor).join(" or ") ??
    (item ? `list of: ${wordsFor(item)}` : [type, format && `(${format})`].flat().filter(Boolean).join(" "));
  const value = usual === undefined ? words : `${words}; \`${JSON.stringify(usual)}\` unless given`;
  return schema.description ? `${value}. ${schema.description}` : value;
}

function table(head: string[], rows: string[][]): string {
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function json({ "application/json": { example } }: Content): string {
  return `\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``;
}

if (import.meta.main) writeFileSync(referenceFile, reference());
