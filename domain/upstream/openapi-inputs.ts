// Judges what becomes a tool's input: an operation's parameters and JSON body. AgentCore writes them into one schema, which has no
// oneOf, anyOf and allOf, and in which nothing can refer back to itself.
import { list, record } from "../kernel/json.ts";
import type { SpecProblem } from "./openapi-problem.ts";
import { resolve } from "./openapi-references.ts";

type InputOperation = {
  at: string;
  operation: Record<string, unknown>;
  pathItem: Record<string, unknown>;
  template: string;
};

const compositions = ["oneOf", "anyOf", "allOf"];

/** Where a value stands, and the references by which it was reached. */
type Place = { value: unknown; path: string; reached: readonly string[] };

/** Each place of the document is judged once, however many operations use it. */
export function inputProblems(document: unknown, operations: readonly InputOperation[]): SpecProblem[] {
  const problems: SpecProblem[] = [];
  const judged = new Set<string>();
  const add = (code: SpecProblem["code"], path: string, message: string) => {
    if (!problems.some((one) => one.path === path && one.code === code)) problems.push({ code, path, message });
  };

  /** The value itself, or what its reference leads to; undefined where it leads to nothing, to itself, or where it was judged. */
  const followed = ({ value, path, reached }: Place): Place | undefined => {
    const reference = record(value).$ref;
    if (typeof reference !== "string") return { value, path, reached };
    if (reached.includes(reference)) {
      add("circular_reference", `${path}.$ref`, `leads back to itself by ${reference}; a tool's input cannot`);
      return undefined;
    }
    if (judged.has(reference)) return undefined;
    const target = resolve(document, reference);
    if (!target) {
      add("dangling_reference", `${path}.$ref`, "leads to nothing in the document");
      return undefined;
    }
    return followed({ ...target, reached: [...reached, reference] });
  };

  const judgeSchema = (place: Place): void => {
    const found = followed(place);
    if (!found) return;
    const { value, path, reached } = found;
    const schema = record(value);
    for (const name of compositions) {
      if (schema[name] !== undefined)
        add("schema_composition", `${path}.${name}`, "AgentCore takes no oneOf, anyOf, allOf");
    }
    const inside = (name: string, member: unknown) => judgeSchema({ value: member, path: `${path}.${name}`, reached });
    for (const [name, member] of Object.entries(record(schema.properties))) inside(`properties.${name}`, member);
    if (schema.items !== undefined) inside("items", schema.items);
    if (typeof schema.additionalProperties === "object") inside("additionalProperties", schema.additionalProperties);
    const last = reached.at(-1);
    if (last !== undefined) judged.add(last);
  };

  const judgeParameters = (value: unknown, path: string) => {
    for (const [place, parameter] of list(value).entries()) {
      const found = followed({ value: parameter, path: `${path}.${place}`, reached: [] });
      if (!found) continue;
      const { schema } = record(found.value);
      if (schema !== undefined) judgeSchema({ ...found, value: schema, path: `${found.path}.schema` });
    }
  };

  for (const { at, operation, pathItem, template } of operations) {
    judgeParameters(pathItem.parameters, `paths.${template}.parameters`);
    judgeParameters(operation.parameters, `${at}.parameters`);
    const body = followed({ value: operation.requestBody, path: `${at}.requestBody`, reached: [] });
    const content = Object.entries(record(record(body?.value).content));
    const json = content.find(([type]) => /^application\/(json|[\w.+-]*\+json)(;|$)/i.test(type));
    if (body && content.length > 0 && !json) {
      add("media_type_unsupported", `${body.path}.content`, "must offer application/json");
    }
    if (body && json) {
      const [type, media] = json;
      judgeSchema({ ...body, value: record(media).schema, path: `${body.path}.content.${type}.schema` });
    }
  }
  return problems;
}
