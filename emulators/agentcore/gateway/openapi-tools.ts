// The tools of an OpenAPI document, by the rules of docs.aws.amazon.com/bedrock-agentcore/latest/devguide/gateway-schema-openapi.html.
import { parse } from "yaml";
import type { OfferedTool, OpenApiOperation } from "./targets.ts";

type Json = Record<string, unknown>;

const methods = ["get", "put", "post", "delete", "patch", "head", "options"];
/** AgentCore supports none of these, anywhere in a schema. */
const combinations = ["oneOf", "anyOf", "allOf"];

/** @throws Error that says what AgentCore does not take. */
export function openApiTools(text: string): OfferedTool[] {
  const document = documentOf(text);
  if (!/^3\.[01]\./.test(String(document.openapi))) throw new Error("Only OpenAPI 3.0 and 3.1 are supported.");
  const server = serverOf(document);
  const tools = Object.entries(record(document.paths)).flatMap(([path, item]) =>
    Object.entries(record(item))
      .filter(([method]) => methods.includes(method))
      .map(([method, operation]) => toolOf(document, server + path, method, record(item), record(operation))),
  );
  const names = tools.map(({ tool }) => tool.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`operationId ${twice} is used more than once.`);
  return tools;
}

function documentOf(text: string): Json {
  try {
    return record(text.trimStart().startsWith("{") ? JSON.parse(text) : parse(text));
  } catch (error) {
    throw new Error(`The schema is neither JSON nor YAML: ${(error as Error).message.split("\n")[0]}`);
  }
}

function serverOf({ servers }: Json): string {
  const url = String(record(list(servers)[0]).url ?? "");
  if (!URL.canParse(url) || new URL(url).protocol !== "https:") throw new Error("servers: an https URL is needed.");
  return url.replace(/\/$/, "");
}

function toolOf(document: Json, url: string, method: string, item: Json, operation: Json): OfferedTool {
  const name = operation.operationId;
  if (typeof name !== "string" || name === "") throw new Error(`${method} ${url}: operationId is missing.`);
  const parameters = [...list(item.parameters), ...list(operation.parameters)].map((one) => resolved(document, one));
  const body = bodyOf(document, operation);
  const properties: Json = {};
  const required = new Set<string>();
  for (const parameter of parameters) {
    const key = String(parameter.name);
    properties[key] = { ...schemaOf(document, parameter.schema), ...descriptionOf(parameter) };
    if (parameter.required === true || parameter.in === "path") required.add(key);
  }
  // The members of a body that is an object stand beside the parameters. No page of AWS's says how a body becomes arguments.
  const bodyMembers = body && Object.keys(record(body.schema.properties));
  if (body && bodyMembers && bodyMembers.length > 0) {
    Object.assign(properties, body.schema.properties);
    for (const key of list(body.schema.required)) required.add(String(key));
  } else if (body) {
    properties.body = body.schema;
    if (body.required) required.add("body");
  }
  const description = String(operation.description ?? operation.summary ?? name);
  const called: OpenApiOperation = {
    method: method.toUpperCase(),
    url,
    parameters: parameters.map(({ name, in: place }) => ({ name: String(name), in: String(place) })),
    ...(body && { body: bodyMembers && bodyMembers.length > 0 ? bodyMembers : "whole", mediaType: body.mediaType }),
  };
  const inputSchema = { type: "object", properties, ...(required.size > 0 && { required: [...required] }) };
  return { tool: { name, description, inputSchema }, operation: called };
}

/** Media types of bodies. AWS's page lists forms among the supported features; further types are not emulated. */
const mediaTypes = ["application/json", "application/x-www-form-urlencoded"] as const;

type Body = { schema: Json; required: boolean; mediaType: (typeof mediaTypes)[number] };

function bodyOf(document: Json, operation: Json): Body | undefined {
  if (operation.requestBody === undefined) return undefined;
  const body = resolved(document, operation.requestBody);
  const content = record(body.content);
  const mediaType = mediaTypes.find((type) => content[type] !== undefined) ?? "application/json";
  const { schema } = record(content[mediaType]);
  return { schema: schemaOf(document, schema), required: body.required === true, mediaType };
}

/** A schema with its references filled in. A reference within itself stays open. */
function schemaOf(document: Json, schema: unknown, above: readonly string[] = []): Json {
  const given = record(schema);
  const refused = combinations.find((name) => name in given);
  if (refused) throw new Error(`${refused} is not supported in schemas.`);
  const reference = typeof given.$ref === "string" ? given.$ref : undefined;
  if (reference !== undefined) {
    if (above.includes(reference)) return { type: "object" };
    return schemaOf(document, resolved(document, given), [...above, reference]);
  }
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (name === "properties") {
        const members = Object.entries(record(value)).map(([key, one]) => [key, schemaOf(document, one, above)]);
        return [name, Object.fromEntries(members)];
      }
      const isSchema = (name === "items" || name === "additionalProperties") && typeof value === "object";
      return [name, isSchema ? schemaOf(document, value, above) : value];
    }),
  );
}

function resolved(document: Json, value: unknown): Json {
  const { $ref: reference } = record(value);
  if (typeof reference !== "string") return record(value);
  if (!reference.startsWith("#/")) throw new Error(`${reference}: only references within the document are supported.`);
  const path = reference.slice(2).split("/");
  const found = path.reduce<unknown>(
    (at, key) => record(at)[key.replaceAll("~1", "/").replaceAll("~0", "~")],
    document,
  );
  if (found === undefined) throw new Error(`${reference}: is not in the document.`);
  return record(found);
}

function descriptionOf({ description }: Json): Json {
  return typeof description === "string" ? { description } : {};
}

function record(value: unknown): Json {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Json) : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
