// A policy document: parsed and validated, with the condition keys that it looks at.
import {
  createValidatedPolicy,
  loadPolicy,
  type Statement,
  type ValidatedPolicy,
  validateIdentityPolicy,
  validateResourcePolicy,
  validateTrustPolicy,
} from "@cloud-copilot/iam-policy";
import { isSupplied, withSimulatedKeys } from "./condition-keys.ts";
import { withSimulatedRegion } from "./models-in-no-region.ts";
import { type Comparisons, comparisonsOf } from "./verdict-key.ts";

const validators = {
  identity: validateIdentityPolicy,
  trust: validateTrustPolicy,
  resource: validateResourcePolicy,
};

export type Policy = {
  name: string;
  document: ValidatedPolicy;
  statements: Statement[];
  /** Every condition key and policy variable of the document, in lower case, under iam-simulate's names. */
  keys: ReadonlySet<string>;
  comparisons: Comparisons;
};

/**
 * Reads a policy document.
 * @param name the policy's name in statements and errors.
 * @throws Error that names the policy and lists every problem with its path.
 */
export function parsePolicy(name: string, text: unknown, kind: keyof typeof validators): Policy {
  const json = parseJson(name, text);
  const document = createValidatedPolicy(json, validators[kind]);
  if (document.errors.length > 0) {
    throw new Error(`${name}: ${document.errors.map(({ path, message }) => `${path}: ${message}`).join("; ")}`);
  }
  const statements = loadPolicy(document).statements();
  const variables = variablesIn(JSON.stringify(json));
  const keys = new Set([...conditionKeys(statements), ...variables]);
  for (const key of keys) {
    if (!isSupplied(key)) throw new Error(`${name}: the local stack does not supply the condition key ${key}`);
  }
  return { name, document, statements, keys, comparisons: comparisonsOf(statements, variables) };
}

/** The name of a statement in decisions and reports: its policy, then its Sid or its place, from 1. */
export function statementId(policyName: string, statement: Statement): string {
  return `${policyName}#${statement.sid() ?? statement.index()}`;
}

/** The texts of a statement's condition on partition keys. A statement without such a condition has none. */
export function leadingKeysOf(statement: Statement): string[] {
  return statement
    .conditions()
    .filter((condition) => condition.conditionKey().toLowerCase() === "dynamodb:leadingkeys")
    .filter((condition) => /^string(equals|like)$/i.test(condition.operation().baseOperator()))
    .flatMap((condition) => condition.conditionValues());
}

function parseJson(name: string, text: unknown): unknown {
  if (typeof text !== "string") throw new Error(`${name}: a policy must be JSON text, not ${typeof text}`);
  try {
    return JSON.parse(withSimulatedRegion(withSimulatedKeys(text)));
  } catch (error) {
    throw new Error(`${name}: not JSON: ${(error as Error).message}`);
  }
}

function conditionKeys(statements: Statement[]): string[] {
  return statements.flatMap((statement) =>
    statement.conditions().map((condition) => condition.conditionKey().toLowerCase()),
  );
}

/** The names inside `${...}`, without their default values; `${*}`, `${?}` and `${$}` are escapes. */
function variablesIn(text: string): string[] {
  return [...text.matchAll(/\$\{([^},]+)/g)]
    .map((match) => (match[1] ?? "").trim().toLowerCase())
    .filter((name) => name.includes(":"));
}
