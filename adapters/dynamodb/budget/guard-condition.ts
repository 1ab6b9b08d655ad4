// Guards as a condition of DynamoDB. It knows no arithmetic, so every bound is computed before, and a row that lacks a number has 0.
import { compares, type Guard, type Label } from "../../../domain/budget/guard.ts";
import { type Change, type Condition, type Item, joined } from "../write.ts";
import { reservationName, shortId } from "./stored-reservation.ts";

const labels: Record<Label, string> = { overdraft: "overdraft", tatRate: "tat_rate", allowanceOf: "allowance_of" };

const windowPrefix = "w#";
/** The attribute of a window: a number of its own, since `ADD` into a map that is missing fails. */
export const windowAttribute = (name: string) => windowPrefix + name;

/** The windows of an item. */
export function windowsOf(item: Item = {}): { windows?: Record<string, number> } {
  const found = Object.entries(item).filter(([name]) => name.startsWith(windowPrefix));
  if (found.length === 0) return {};
  return { windows: Object.fromEntries(found.map(([name, sum]) => [name.slice(windowPrefix.length), Number(sum)])) };
}

/** The condition that all guards hold. Each value has the name of its guard's rule, and `#r` is the reservation. */
export function conditionOf(guards: readonly Guard[]): Condition {
  const names: Record<string, string> = {};
  const values: Item = {};

  function expressed(guard: Guard, place: number): string {
    const value = `:${guard.rule}`;
    if ("figure" in guard || "window" in guard) {
      const name = "figure" in guard ? guard.figure : windowAt(guard.window, place);
      values[value] = guard.bound;
      const comparison = `${name} ${guard.is} ${value}`;
      return compares(0, guard) ? `(attribute_not_exists(${name}) OR ${comparison})` : comparison;
    }
    if ("label" in guard) {
      const name = labels[guard.label];
      if (guard.is === "none") return `attribute_not_exists(${name})`;
      values[value] = guard.label === "overdraft" ? shortId(guard.as) : guard.as;
      if (guard.is === "other") return `${name} <> ${value}`;
      return guard.is === "same" ? `${name} = ${value}` : `(attribute_not_exists(${name}) OR ${name} = ${value})`;
    }
    names["#r"] = reservationName(guard.request);
    if (guard.is === "absent") return "attribute_not_exists(#r)";
    if (guard.is === "present") return "attribute_exists(#r)";
    values[value] = guard.version;
    return `#r.n = ${value}`;
  }

  function windowAt(window: string, place: number): string {
    const name = `#g${place}`;
    names[name] = windowAttribute(window);
    return name;
  }

  const ConditionExpression = guards.map(expressed).join(" AND ");
  return {
    ConditionExpression,
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
}

/** The update, under the condition that all guards hold. */
export function guarded(change: Change, guards: readonly Guard[]): Change & Condition {
  const condition = conditionOf(guards);
  return { ...joined(change, condition), ConditionExpression: condition.ConditionExpression };
}
