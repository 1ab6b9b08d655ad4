// The promise of links: a function that loses a right loses the call that needs it, here as on AWS.

import { afterEach, expect, test } from "@jest/globals";
import type { DeclaredResource } from "../../emulators/pulumi/resources.ts";
import type { Program } from "../../local/program/program.ts";
import { modelHostAccountId } from "../../local/program/program.ts";
import type { Stack } from "../../local/stack.ts";
import { startSeeded } from "../support/program/seeded-stack.ts";

let stack: Stack | undefined;

afterEach(async () => {
  await stack?.stop();
  stack = undefined;
});

type PolicyStatement = { Action: string[]; Condition?: object };

/** Takes one action out of the policies of the roles whose name begins so. */
function without(role: string, action: string) {
  return ({ resources }: Program) => {
    const isOfRole = ({ inputs }: DeclaredResource) => inputs.role === `${role}-local`;
    const attached = resources.ofType("aws:iam/rolePolicyAttachment:RolePolicyAttachment").filter(isOfRole);
    const policies = [
      ...resources.ofType("aws:iam/rolePolicy:RolePolicy").filter(isOfRole),
      ...attached.map(({ inputs }) => resources.byArn(inputs.policyArn)).filter((policy) => policy !== undefined),
    ];
    for (const policy of policies) {
      const document = JSON.parse(policy.inputs.policy) as { Statement: PolicyStatement[] };
      for (const statement of document.Statement) statement.Action = statement.Action.filter((one) => one !== action);
      document.Statement = document.Statement.filter(({ Action }) => Action.length > 0);
      policy.inputs.policy = JSON.stringify(document);
      policy.outputs.policy = policy.inputs.policy;
    }
  };
}

async function ask({ demo, at }: Stack, path = "", model = "claude-sonnet-5"): Promise<Response> {
  return fetch(`${at("acme.proxy")}/vendor/v1/messages${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": demo?.api_key ?? "" },
    body: JSON.stringify({
      model,
      max_tokens: 20,
      stream: true,
      messages: [{ role: "user", content: "Hello" }],
    }),
  });
}

test.each([
  ["proxy", "dynamodb:UpdateItem", 500],
  ["proxy", "sts:AssumeRole", 502],
  ["proxy", "sts:TagSession", 502],
  [`proxy-model-host-${modelHostAccountId}`, "bedrock:InvokeModelWithResponseStream", 502],
  [`proxy-model-host-${modelHostAccountId}`, "bedrock-mantle:CountTokens", 502, "/count_tokens"],
  [`proxy-model-host-${modelHostAccountId}`, "bedrock:CountTokens", 502, "/count_tokens", "claude-sonnet-4-6"],
])("without %s's right to %s its call is denied, and the caller is not told details", async (...example) => {
  const [role, action, status, path, model] = example as [string, string, number, string?, string?];
  stack = await startSeeded({ change: without(role, action) });
  let response = await ask(stack, path, model);
  // On a slow machine the denial may come when the call is given up; the answer tells to ask again.
  while (response.status === 503) response = await ask(stack, path, model);
  expect(response.status).toBe(status);
  const text = await response.text();
  const answer = JSON.parse(text);
  expect(answer).toMatchObject({ type: "error", error: { type: "api_error" } });
  // A request's id may end in twelve digits by chance.
  expect(text.replace(answer.request_id, "")).not.toMatch(/arn:|AccessDenied|\d{12}/);
  const denied = stack.calls.all().filter((call) => !call.allowed);
  expect(denied.flatMap(({ decisions }) => decisions).filter(({ allowed }) => !allowed)).toContainEqual(
    expect.objectContaining({ action, allowed: false }),
  );
  expect(denied[0]?.reason).toContain(`is not authorized to perform: ${action}`);
  // Nor does the log tell of the account.
  expect(stack.logs.lines("proxy-local").filter(({ line }) => /arn:|000000000000/.test(line))).toEqual([]);
});

test("a right that the wiring lacks stops the start and is named", async () => {
  const withoutLogs = without("proxy", "logs:PutLogEvents");
  await expect(startSeeded({ change: withoutLogs })).rejects.toThrow(
    "function proxy: its role lacks logs:PutLogEvents on its log group",
  );
});
