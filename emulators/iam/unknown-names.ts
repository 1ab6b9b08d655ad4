// Finds actions and condition keys that no service has. AWS accepts them in a policy and never matches them.
import { isWildcardOnlyAction, typeForContextKey } from "@cloud-copilot/iam-simulate";
import type { Policy } from "./policy.ts";

/** Describes each unknown action or condition key in a line. Patterns such as `s3:Get*` are not checked. */
export async function unknownNamesIn(policies: Policy[]): Promise<string[]> {
  const found = await Promise.all(policies.map((policy) => typosOf(policy)));
  return [...new Set(found.flat())];
}

async function typosOf(policy: Policy): Promise<string[]> {
  const actions = policy.statements
    .flatMap((statement) => (statement.isActionStatement() ? statement.actions() : []))
    .map((action) => action.value())
    .filter((action) => !/[*?]/.test(action));
  const unknownActions = await rejected(actions, (action) => {
    const [service = "", name = ""] = action.split(":");
    return isWildcardOnlyAction(service, name);
  });
  const unknownKeys = await rejected([...policy.keys], typeForContextKey);
  return [
    ...unknownActions.map((action) => `${policy.name}: AWS has no action ${action}`),
    ...unknownKeys.map((key) => `${policy.name}: AWS has no condition key ${key}`),
  ];
}

async function rejected(values: string[], ask: (value: string) => Promise<unknown>): Promise<string[]> {
  const answers = await Promise.allSettled(values.map(async (value) => ask(value)));
  return values.filter((_, index) => answers[index]?.status === "rejected");
}
