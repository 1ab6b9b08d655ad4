// Asks iam-simulate for a decision and puts it in AWS's words. Nothing is cached here.
import type { Statement } from "@cloud-copilot/iam-policy";
import { type RequestAnalysis, runSimulation, type Simulation } from "@cloud-copilot/iam-simulate";
import { accountId, accountIn } from "../aws/account.ts";
import { withSimulatedRegion } from "./models-in-no-region.ts";
import { patternOf } from "./pattern.ts";
import { leadingKeysOf, type Policy, parsePolicy, statementId } from "./policy.ts";
import type { Context } from "./requesting-principal.ts";

export type AccessQuestion = {
  /** The ARN of a role's session, or a service such as `lambda.amazonaws.com`. */
  caller: string;
  action: string;
  resource: string;
  context: Context;
  identityPolicies: Policy[];
  /** A key policy or, for AssumeRole, the role's trust. */
  resourcePolicy?: Policy | undefined;
};

export type Verdict = {
  allowed: boolean;
  /** The end of the message "is not authorized to perform ... on resource ...", or the statements that allow. */
  because: string;
  /** The statements that matched, `<policy>#<Sid or place>`. */
  statements: string[];
  /** The texts of the allowing statements' conditions on `dynamodb:LeadingKeys` that the keys matched, if there are any. */
  leadingKeys?: string[];
};

/** @throws Error for an action that AWS lacks, and for a resource that the action does not take. */
export async function simulate(question: AccessQuestion): Promise<Verdict> {
  const { action, resource } = question;
  const result = await runSimulation(simulationOf(question), {});
  if (result.resultType === "error") {
    throw new Error(`IAM cannot judge ${action} on ${resource}: ${result.errors.message}`);
  }
  const results = result.resultType === "single" ? [result.result] : result.results;
  const allowed = result.overallResult === "Allowed";
  const decisive = allowed ? results : results.filter(({ analysis }) => analysis.result !== "Allowed");
  const matched = decisive.flatMap(({ analysis }) => matchedStatements(analysis));
  const statements = [...new Set(matched.map(({ policyId, statement }) => statementId(policyId, statement)))];
  if (allowed) {
    const leadingKeys = matchedKeys(matched, question.context);
    return {
      allowed,
      because: `allowed by ${statements.join(", ")}`,
      statements,
      ...(leadingKeys.length > 0 && { leadingKeys }),
    };
  }
  const ignored = decisive.flatMap(({ ignoredContextKeys }) => ignoredContextKeys ?? []);
  const hint = ignored.length > 0 ? ` (${ignored.join(", ")}: not a condition key of this action)` : "";
  return { allowed, because: denial(decisive[0]?.analysis, action) + hint, statements };
}

function simulationOf(question: AccessQuestion): Simulation {
  return {
    request: {
      principal: question.caller,
      action: question.action,
      resource: { resource: withSimulatedRegion(question.resource), accountId: ownerOf(question) },
      contextVariables: question.context,
    },
    identityPolicies: question.identityPolicies.map(({ name, document }) => ({ name, policy: document })),
    resourcePolicy: question.resourcePolicy?.document,
    serviceControlPolicies: [],
    resourceControlPolicies: [],
  };
}

/** The trust of a role is a question of its own. Without its trust policy a role counts as one of the caller's account. */
function ownerOf({ resource, resourcePolicy, caller }: AccessQuestion): string {
  const isTrustAskedElsewhere = resource.startsWith("arn:aws:iam:") && !resourcePolicy;
  return (isTrustAskedElsewhere ? undefined : accountIn(resource)) ?? accountIn(caller) ?? accountId;
}

type Matched = { policyId: string; statement: Statement };

function matchedStatements({ result, ...analyses }: RequestAnalysis): Matched[] {
  const effect = result === "ExplicitlyDenied" ? "denyStatements" : "allowStatements";
  const { identityAnalysis, resourceAnalysis } = analyses;
  return [identityAnalysis, resourceAnalysis].flatMap((analysis) => analysis?.[effect] ?? []);
}

function matchedKeys(matched: Matched[], context: Context): string[] {
  const keys = [context["dynamodb:LeadingKeys"] ?? []].flat();
  const texts = matched.flatMap(({ statement }) => leadingKeysOf(statement));
  return [...new Set(texts)].filter((text) => keys.some((key) => patternOf(text).test(key)));
}

/** AWS's wording (docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_access-denied.html). */
function denial(analysis: RequestAnalysis | undefined, action: string): string {
  const identity = analysis?.identityAnalysis?.result;
  const onResource = action.startsWith("sts:") ? "role trust policy" : "resource-based policy";
  if (identity === "ExplicitlyDenied") return "with an explicit deny in an identity-based policy";
  if (analysis?.resourceAnalysis?.result === "ExplicitlyDenied") return `with an explicit deny in a ${onResource}`;
  if (identity !== "Allowed") return `because no identity-based policy allows the ${action} action`;
  return `because no ${onResource} allows the ${action} action`;
}

/** A policy that allows everything. It stands for the caller's policies where only the role's trust is in question. */
export const anything: Policy = parsePolicy(
  "anything",
  JSON.stringify({ Version: "2012-10-17", Statement: [{ Effect: "Allow", Action: "*", Resource: "*" }] }),
  "identity",
);
