// Writes the OpenAPI document of a provider's API from a short list of its operations. Each operation becomes a tool.

type Field = {
  type: "string" | "integer" | "number" | "boolean";
  description: string;
  required?: true;
  enum?: readonly string[];
};
type Fields = Record<string, Field>;

export type ApiOperation = {
  /** Method and path, as in the API's own reference. */
  at: `${"get" | "post" | "patch" | "put" | "delete"} /${string}`;
  /** The operation's id, which is the tool's name. */
  tool: string;
  description: string;
  /** The members of the path's template. */
  path?: Fields;
  query?: Fields;
  /** The members of a JSON body. */
  body?: Fields;
};

type Api = { title: string; server: string; operations: readonly ApiOperation[] };

export function apiDocument({ title, server, operations }: Api): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const operation of operations) {
    const [method = "", path = ""] = operation.at.split(" ");
    paths[path] = { ...paths[path], [method]: described(operation) };
  }
  return { openapi: "3.0.3", info: { title, version: "1" }, servers: [{ url: server }], paths };
}

function described({ tool, description, path = {}, query = {}, body }: ApiOperation): object {
  const inPath = Object.entries(path).map(([name, field]) => parameter(name, "path", { ...field, required: true }));
  const inQuery = Object.entries(query).map(([name, field]) => parameter(name, "query", field));
  return {
    operationId: tool,
    description,
    parameters: [...inPath, ...inQuery],
    ...(body && { requestBody: requestBody(body) }),
    responses: { default: { description: "What the API answers" } },
  };
}

function parameter(name: string, place: "path" | "query", { required, description, ...schema }: Field): object {
  return { name, in: place, description, required: required === true, schema };
}

function requestBody(body: Fields): object {
  const properties = Object.fromEntries(
    Object.entries(body).map(([name, { required: _, ...schema }]) => [name, schema]),
  );
  const required = Object.keys(body).filter((name) => body[name]?.required === true);
  return { required: true, content: { "application/json": { schema: { type: "object", properties, required } } } };
}

/** The tools of the document, as people see them in a list. */
export function toolsOf(operations: readonly ApiOperation[]): { name: string; description: string }[] {
  return operations.map(({ tool, description }) => ({ name: tool, description }));
}
