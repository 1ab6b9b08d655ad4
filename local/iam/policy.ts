// One policy document: parsed, validated, and asked which condition keys it looks at.
import {
  createValidatedPolicy,
  loadPolicy,
  type Statement,
  type ValidatedPolicy,
  validateIdentityPolicy,
  validateResourcePolicy,
  validateSessionPolicy,
  validateTrustPolicy,
} from "@cloud-copilot/iam-policy";
import { isSuppliedGlobalKey, withSimulatedKeys } from "./condition-keys.ts";

const validators = {
  identity: validateIdentityPolicy,
  trust: validateTrustPolicy,
  session: validateSessionPolicy,
  resource: validateResourcePolicy,
};

export type Policy = {
  name: string;
  document: ValidatedPolicy;
  statements: Statement[];
  /** Every condition key and policy variable that it mentions, in lower case, as iam-simulate is given them. */
  keys: ReadonlySet<string>;
};

/**
 * Reads a policy document.
 * @param name how statements and errors call it
 * @throws Error that names the policy and lists every problem with its path
 */
export function parsePolicy(name: string, text: unknown, kind: keyof typeof validators): Policy {
  const json = parseJson(name, text);
  const document = createValidatedPolicy(json, validators[kind]);
  if (document.errors.length > 0) {
    throw new Error(`${name}: ${document.errors.map(({ path, message }) => `${path}: ${message}`).join("; ")}`);
  }
  const statements = loadPolicy(document).statements();
  const keys = new Set([...conditionKeys(statements), ...variables(JSON.stringify(json))]);
  for (const key of keys) {
    if (key.startsWith("aws:") && !isSuppliedGlobalKey(key)) {
      throw new Error(`${name}: the local stack does not supply the condition key ${key}`);
    }
  }
  return { name, document, statements, keys };
}

/** How decisions and reports name a statement: its policy, then its Sid or its place, from 1. */
export function statementId(policyName: string, statement: Statement): string {
  return `${policyName}#${statement.sid() ?? statement.index()}`;
}

function parseJson(name: string, text: unknown): unknown {
  if (typeof text !== "string") throw new Error(`${name}: a policy must be JSON text, not ${typeof text}`);
  try {
    return JSON.parse(withSimulatedKeys(text));
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
function variables(text: string): string[] {
  return [...text.matchAll(/\$\{([^},]+)/g)]
    .map((match) => (match[1] ?? "").trim().toLowerCase())
    .filter((name) => name.includes(":"));
}
