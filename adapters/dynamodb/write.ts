// Writes of the table and their conditions. An expression has its values in place, and names attributes as DynamoDB does: one
// whose name is a reserved word stands behind `#`.
import type { Key } from "./table.ts";

export type Item = Record<string, unknown>;

type Parts = { ExpressionAttributeNames?: Record<string, string>; ExpressionAttributeValues?: Item };
export type Condition = Parts & { ConditionExpression: string };
/** An update of a row. `ConditionExpression` is here for those that are always written under the same condition. */
export type Change = Parts & { UpdateExpression: string; ConditionExpression?: string };

/** An item of a transaction. */
export type Write =
  | { Put: { Item: Item } & Partial<Condition> }
  | { Update: { Key: Key } & Change }
  | { Delete: { Key: Key } & Partial<Condition> }
  | { ConditionCheck: { Key: Key } & Condition };

export const put = (Item: Item, condition?: Condition): Write => ({ Put: { Item, ...condition } });
export const update = (Key: Key, change: Change, condition?: Condition): Write => ({
  Update: { Key, ...joined(change, condition) },
});
export const remove = (Key: Key, condition?: Condition): Write => ({ Delete: { Key, ...condition } });
export const check = (Key: Key, condition: Condition): Write => ({ ConditionCheck: { Key, ...condition } });

/** An update, as in change`SET removed_at = ${now}`. */
export function change(text: TemplateStringsArray, ...values: unknown[]): Change {
  const { expression, ...parts } = expressed("u", text, values);
  return { UpdateExpression: expression, ...parts };
}

/** A condition, as in when`#status = ${"active"}`. */
export function when(text: TemplateStringsArray, ...values: unknown[]): Condition {
  const { expression, ...parts } = expressed("c", text, values);
  return { ConditionExpression: expression, ...parts };
}

export const absent = when`attribute_not_exists(pk)`;
export const present = when`attribute_exists(pk)`;

/** The condition of a write that gives a row this version: the row has the version before, or does not exist before the first. */
export function follows(version: number): Condition {
  return version === 1 ? absent : when`version = ${version - 1}`;
}

/** Sets attributes, and removes those that are undefined. */
export function setting(attributes: Item): Change {
  const names = Object.keys(attributes);
  // A placeholder has letters, digits and underscores only.
  const mark = (name: string) => name.replaceAll(/\W/g, "_");
  const set = names.filter((name) => attributes[name] !== undefined);
  const removed = names.filter((name) => attributes[name] === undefined).map((name) => `#${mark(name)}`);
  return {
    UpdateExpression: [
      set.length > 0 && `SET ${set.map((name) => `#${mark(name)} = :${mark(name)}`).join(", ")}`,
      removed.length > 0 && `REMOVE ${removed.join(", ")}`,
    ]
      .filter(Boolean)
      .join(" "),
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${mark(name)}`, name])),
    ...(set.length > 0 && {
      ExpressionAttributeValues: Object.fromEntries(set.map((name) => [`:${mark(name)}`, attributes[name]])),
    }),
  };
}

/** An update with more to do, or with its condition. */
export function joined(change: Change, more: Partial<Change> = {}): Change {
  const names = { ...change.ExpressionAttributeNames, ...more.ExpressionAttributeNames };
  const values = { ...change.ExpressionAttributeValues, ...more.ExpressionAttributeValues };
  const ConditionExpression = more.ConditionExpression ?? change.ConditionExpression;
  return {
    UpdateExpression: [change.UpdateExpression, more.UpdateExpression].filter(Boolean).join(" "),
    ...(ConditionExpression !== undefined && { ConditionExpression }),
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
}

class AttributeName {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The name of an attribute in place of a value, for names that are not known before. */
export const attribute = (name: string) => new AttributeName(name);

/** @param letter keeps the values of a condition apart from those of its update */
function expressed(letter: string, text: TemplateStringsArray, values: readonly unknown[]) {
  const [first = "", ...rest] = text;
  const names = [...text.join(" ").matchAll(/#(\w+)/g)].map(([mark, name = ""]) => [mark, name] as const);
  const marks = values.map((value, place) => `${value instanceof AttributeName ? "#" : ":"}${letter}${place}`);
  const given = values.map((value, place) => [marks[place] ?? "", value] as const);
  const variable = given.flatMap(([mark, value]) =>
    value instanceof AttributeName ? [[mark, value.text] as const] : [],
  );
  const constant = given.filter(([, value]) => !(value instanceof AttributeName));
  return {
    expression: first + rest.map((part, place) => marks[place] + part).join(""),
    ...(names.length + variable.length > 0 && {
      ExpressionAttributeNames: Object.fromEntries([...names, ...variable]),
    }),
    ...(constant.length > 0 && { ExpressionAttributeValues: Object.fromEntries(constant) }),
  };
}
