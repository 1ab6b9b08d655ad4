// An operation's parameters and body as AgentCore sends them right: one list of arguments, a query whose lists repeat the name, a body of
// JSON or of a form. A part that would arrive otherwise than the document says is left out, or keeps the operation from being offered.
import { list, record } from "../kernel/json.ts";
import type { SentSecret } from "../upstream/upstream-auth.ts";
import type { SpecOperation } from "./document.ts";
import { type PlainSchema, type Rewriting, shortened } from "./plain-schema.ts";
import { follow } from "./references.ts";
import { plainSchema } from "./schema.ts";
import { Unsupported } from "./unsupported.ts";

/** An operation's inputs in the form of OpenAPI 3.0. */
export type Inputs = { parameters: Parameter[]; requestBody?: object };

type Parameter = { name: string; in: string; required: boolean; description?: string; schema: PlainSchema };

type Asked = Pick<Rewriting, "document" | "lose" | "left" | "deepest"> & {
  /** The parameter that carries the credential: the gateway sends it. */
  credential: SentSecret | undefined;
};

/** Headers that an OpenAPI document cannot describe as parameters (OpenAPI 3.1, "Parameter Object"). */
const ignoredHeaders = ["accept", "content-type", "authorization"];

const longestDescription = 500;

/** @throws Unsupported if a part that the operation needs cannot be sent as the document says */
export function inputsOf(asked: Asked, { operation, pathItem, template }: SpecOperation): Inputs {
  const given = parametersOf(asked.document, pathItem, operation);
  const parameters = given.flatMap(
    (parameter) => optionally(asked, parameter, () => rewritten(asked, parameter)) ?? [],
  );
  const isDescribed = (name: string) => parameters.some((one) => one.in === "path" && one.name === name);
  for (const [, name = ""] of template.matchAll(/\{([^{}]*)\}/g)) {
    if (!isDescribed(name))
      throw new Unsupported("path_invalid", `has {${name}} in its path, which no parameter describes`);
  }
  const body = bodyOf(asked, operation, given);
  const once = withoutTwins(asked, parameters);
  return { parameters: once, ...(body && withoutNames(asked, body, new Set(once.map(({ name }) => name)))) };
}

type Given = { name: string; place: string; value: Record<string, unknown>; isBody: boolean };

/** The parameters of the operation and of its path. The operation's own count where both have one. */
function parametersOf(
  document: unknown,
  pathItem: Record<string, unknown>,
  operation: Record<string, unknown>,
): Given[] {
  const found = new Map<string, Given>();
  for (const one of [...list(pathItem.parameters), ...list(operation.parameters)]) {
    const value = follow(document, one)?.value ?? {};
    const [name, place] = [String(value.name ?? ""), String(value.in ?? "")];
    // A parameter of Swagger 2 that is a body stays a reference to a body in the document that is made of it.
    const isBody = value.in === undefined && value.content !== undefined;
    found.set(isBody ? "body" : `${place} ${name}`, { name, place, value, isBody });
  }
  return [...found.values()];
}

/** The result of `make`; undefined for an optional part that cannot be sent. */
function optionally<T>(asked: Asked, { name, place, value }: Given, make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    const isNeeded = value.required === true || place === "path";
    if (!(error instanceof Unsupported) || error.code === "too_large") throw error;
    if (isNeeded) throw new Unsupported(error.code, `needs ${place} parameter ${name}, which ${error.message}`);
    asked.lose("left_out", name, `${place} parameter ${name} ${error.message}`);
    return undefined;
  }
}

function rewritten(asked: Asked, { name, place, value, isBody }: Given): Parameter[] {
  if (isBody || isSentByGateway(asked, name, place)) return [];
  if (place === "cookie") throw new Unsupported("cookie_parameter", "is sent in a cookie");
  if (!["path", "query", "header"].includes(place)) throw new Unsupported("parameter_style", `is in "${place}"`);
  const required = place === "path" || value.required === true;
  const parameter = { name, in: place, required, ...described(value) };
  const [content] = Object.keys(record(value.content));
  if (content !== undefined) {
    asked.lose("as_text", name, `is text that holds ${content}`);
    return [{ ...parameter, schema: { type: "string" } }];
  }
  const schema = plainSchema({ ...asked, inText: true }, value.schema ?? {}, name);
  return inStyle(asked, parameter, withType(schema), value);
}

function described({ description }: Record<string, unknown>): { description?: string } {
  return typeof description === "string" ? { description: shortened(description, longestDescription) } : {};
}

function withType(schema: PlainSchema): PlainSchema {
  return schema.type === undefined ? { type: "string", ...schema } : schema;
}

function isSentByGateway({ credential }: Asked, name: string, place: string): boolean {
  const isSame = credential?.location === place && credential.name.toLowerCase() === name.toLowerCase();
  return isSame || (place === "header" && ignoredHeaders.includes(name.toLowerCase()));
}

/** The parameter, if AgentCore sends its values as the document's style says; a form's object as one parameter for each member. */
function inStyle(
  asked: Asked,
  parameter: Omit<Parameter, "schema">,
  schema: PlainSchema,
  { style, explode }: Record<string, unknown>,
): Parameter[] {
  const standard = parameter.in === "query" ? "form" : "simple";
  if (style !== undefined && style !== standard) {
    throw new Unsupported("parameter_style", `has the style ${String(style)}`);
  }
  if (schema.type !== "array" && schema.type !== "object") return [{ ...parameter, schema }];
  if (parameter.in !== "query") throw new Unsupported("parameter_style", `is a ${schema.type} in the ${parameter.in}`);
  if (explode === false) throw new Unsupported("parameter_style", "has values that are joined (explode: false)");
  const isFlat = (member: unknown) => !["array", "object"].includes(String(record(member).type));
  if (schema.type === "array") {
    if (isFlat(schema.items)) return [{ ...parameter, schema }];
    throw new Unsupported("parameter_style", "is a list of lists or objects");
  }
  const needed = list(schema.required);
  const members = Object.entries(record(schema.properties));
  if (members.length === 0) throw new Unsupported("parameter_style", "is an object whose members are not described");
  return members.flatMap(([name, member]) => {
    const required = parameter.required && needed.includes(name);
    const isList = record(member).type === "array" && isFlat(record(member).items);
    if (isFlat(member) || isList) return [{ name, in: "query", required, schema: withType(record(member)) }];
    if (required) throw new Unsupported("parameter_style", `has an object as its member ${name}`);
    asked.lose("left_out", `${parameter.name}.${name}`, "is an object in the query");
    return [];
  });
}

/** A name that two parameters have would be one argument: optional ones are left out. */
function withoutTwins(asked: Asked, parameters: readonly Parameter[]): Parameter[] {
  const seen = new Set<string>();
  const neededFirst = [...parameters.filter(({ required }) => required), ...parameters.filter((one) => !one.required)];
  return neededFirst.filter(({ name, in: place, required }) => {
    if (!seen.has(name)) return seen.add(name);
    if (required) throw new Unsupported("same_name", `needs two arguments named ${name}`);
    asked.lose("left_out", name, `${place} parameter ${name} has the name of another argument`);
    return false;
  });
}

const json = /^(application\/json|application\/\*|\*\/\*)\s*(;|$)/i;
const form = /^application\/x-www-form-urlencoded\s*(;|$)/i;

type Body = {
  requestBody: { required: boolean; description?: string; content: Record<string, { schema: PlainSchema }> };
};

/** The body, in JSON where the operation takes it. */
function bodyOf(asked: Asked, operation: Record<string, unknown>, parameters: readonly Given[]): Body | undefined {
  const given = operation.requestBody ?? parameters.find(({ isBody }) => isBody)?.value;
  const body = given === undefined ? undefined : follow(asked.document, given)?.value;
  const content = Object.entries(record(body?.content));
  if (!body || content.length === 0) return undefined;
  const required = body.required === true;
  const found = content.find(([type]) => json.test(type)) ?? content.find(([type]) => form.test(type));
  if (!found) {
    const types = content.map(([type]) => type).join(", ");
    if (required || content.some(([type]) => type.startsWith("multipart/"))) {
      throw new Unsupported("media_type", `takes a body of ${shortened(types, 100)}, not of JSON or a form`);
    }
    asked.lose("left_out", "body", `the body is of ${shortened(types, 100)}`);
    return undefined;
  }
  const [type, media] = found;
  const isForm = form.test(type);
  const schema = plainSchema({ ...asked, inText: isForm }, record(media).schema ?? {}, "body");
  const shown = isForm ? ofForm(asked, schema) : schema;
  const name = isForm ? "application/x-www-form-urlencoded" : "application/json";
  return { requestBody: { required, ...described(body), content: { [name]: { schema: shown } } } };
}

/** A form's members are values, or lists of values that repeat the name. */
function ofForm(asked: Asked, schema: PlainSchema): PlainSchema {
  const needed = list(schema.required);
  const members = Object.entries(record(schema.properties)).filter(([name, member]) => {
    const { type, items, format } = record(member);
    const isValue = (one: unknown) => !["array", "object"].includes(String(record(one).type));
    const isSent = type === "array" ? isValue(items) : isValue(member);
    if (isSent && format !== "binary") return true;
    if (needed.includes(name)) throw new Unsupported("media_type", `needs ${name}, which a form cannot hold`);
    asked.lose("left_out", `body.${name}`, "is an object in a form");
    return false;
  });
  return { ...schema, type: "object", properties: Object.fromEntries(members) };
}

/** A body without members that have the name of a parameter: AgentCore has one list of arguments. */
function withoutNames(asked: Asked, { requestBody }: Body, taken: ReadonlySet<string>): Body {
  const content = Object.entries(requestBody.content).map(([type, { schema }]) => {
    const twins = Object.keys(record(schema.properties)).filter((name) => taken.has(name));
    for (const name of twins) {
      if (list(schema.required).includes(name)) {
        throw new Unsupported("same_name", `needs a parameter and a member of the body that are both named ${name}`);
      }
      asked.lose("left_out", `body.${name}`, "has the name of a parameter");
    }
    const members = Object.entries(record(schema.properties)).filter(([name]) => !taken.has(name));
    if (schema.properties === undefined && taken.has("body")) {
      throw new Unsupported("same_name", "has a parameter named body beside its body");
    }
    return [type, { schema: twins.length === 0 ? schema : { ...schema, properties: Object.fromEntries(members) } }];
  });
  return { requestBody: { ...requestBody, content: Object.fromEntries(content) } };
}
