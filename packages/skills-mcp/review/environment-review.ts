// The environment under review: each variable with its value or its secret, who set it and when, and what the active version has of it.
import { visibleLine } from "../../../domain/skills/hidden-text.ts";
import type { Env, Variable } from "../api/shapes.ts";

export type VariableReview = {
  name: string;
  state: "new" | "changed" | "unchanged" | "removed";
  /** What an activation approves; missing for a variable that is removed. */
  now?: string | undefined;
  /** What the active version has, where that differs. */
  active?: string | undefined;
};

/** Every text was written by others: each hidden character stands by its name. */
export function variablesUnderReview({ env, active_env = [] }: Env): VariableReview[] {
  const [proposed, approved] = [toldByName(env), toldByName(active_env)];
  return [...new Set([...proposed.keys(), ...approved.keys()])].toSorted().map((name) => {
    const [now, active] = [proposed.get(name), approved.get(name)];
    if (now === undefined) return { name, state: "removed", active };
    if (active === undefined) return { name, state: "new", now };
    return now === active ? { name, state: "unchanged", now } : { name, state: "changed", now, active };
  });
}

const toldByName = (variables: readonly Variable[]) =>
  new Map(variables.map((variable) => [visibleLine(variable.name), told(variable)]));

function told({ value, secret, set_by, set_at, secret_set_by, secret_set_at }: Variable): string {
  const own = value === undefined ? "a value that the owner sees" : JSON.stringify(value);
  const given =
    secret_set_by === undefined ? "which is not there" : `whose value ${secret_set_by} gave at ${secret_set_at}`;
  const what = secret === undefined ? own : `secret ${secret}, ${given}`;
  return visibleLine(`${what}; set by ${set_by} at ${set_at}`);
}
