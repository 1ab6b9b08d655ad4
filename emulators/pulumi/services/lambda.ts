// Lambda: functions, their URLs, and the permissions by which services and the public may invoke them.

import { patternOf } from "../../iam/pattern.ts";
import type { Descriptor, WiringContext } from "../descriptor.ts";
import { arnOf, idOf, physicalName } from "../names.ts";
import type { DeclaredResource, Resources } from "../resources.ts";
import { logGroup } from "./cloudwatch-logs.ts";

export const lambdaFunction: Descriptor = {
  type: "aws:lambda/function:Function",
  compute(logicalName, inputs, region) {
    const name = physicalName(logicalName, inputs);
    const arn = arnOf("lambda", region, `function:${name}`);
    const invokeArn = `arn:aws:apigateway:${region}:lambda:path/2015-03-31/functions/${arn}/invocations`;
    return { id: name, outputs: { name, arn, invokeArn } };
  },
  inputs: {
    served: "name code handler role environment timeout memorySize loggingConfig",
    noEffect: "runtime architectures reservedConcurrentExecutions",
  },
  wiring: functionProblems,
};

export const functionUrl: Descriptor = {
  type: "aws:lambda/functionUrl:FunctionUrl",
  compute(name, inputs, region) {
    const urlId = idOf(name, 32);
    const outputs = { urlId, functionUrl: `https://${urlId}.lambda-url.${region}.on.aws/` };
    return { id: String(inputs.functionName), outputs };
  },
  inputs: { served: "functionName authorizationType invokeMode" },
  wiring: urlProblems,
};

const permission: Descriptor = {
  type: "aws:lambda/permission:Permission",
  compute: (name) => ({ id: name, outputs: { statementId: name } }),
  inputs: { served: "action function principal sourceArn functionUrlAuthType invokedViaFunctionUrl" },
};

export const lambda = [lambdaFunction, functionUrl, permission];

/** Lambda must be trusted with the role, and the role must be able to write the function's log. */
async function functionProblems(
  { name, inputs }: DeclaredResource,
  { resources, trusts, allows }: WiringContext,
): Promise<string[]> {
  const trusted = await trusts(inputs.role, "lambda.amazonaws.com");
  const problems = trusted ? [] : [`function ${name}: its role does not trust lambda.amazonaws.com`];
  const group = resources.byName(logGroup.type, inputs.loggingConfig?.logGroup);
  if (!group) return [...problems, `function ${name}: its log group is not declared`];
  for (const action of ["logs:CreateLogStream", "logs:PutLogEvents"]) {
    const allowed = await allows(inputs.role, action, `${group.outputs.arn}:log-stream:wiring`);
    if (!allowed) problems.push(`function ${name}: its role lacks ${action} on its log group`);
  }
  return problems;
}

/** Since October 2025 a public function URL needs both permissions, else each call is answered 403. */
function urlProblems({ name, inputs }: DeclaredResource, { resources }: WiringContext): string[] {
  const open = resources
    .ofType(permission.type)
    .map(({ inputs }) => inputs)
    .filter((given) => given.function === inputs.functionName && given.principal === "*");
  const byUrl = open.some((p) => p.action === "lambda:InvokeFunctionUrl" && p.functionUrlAuthType === "NONE");
  const invoke = open.some((p) => p.action === "lambda:InvokeFunction" && p.invokedViaFunctionUrl === true);
  return [
    ...(byUrl ? [] : [`function URL ${name}: the permission lambda:InvokeFunctionUrl is missing`]),
    ...(invoke ? [] : [`function URL ${name}: the permission lambda:InvokeFunction is missing`]),
  ];
}

/** An AWS service that invokes a function for one of its resources. */
type Invocation = { functionName: string; principal: string; sourceArn: string };

/** Whether a permission of the program lets a service invoke the function for this source. */
export function mayInvoke(resources: Resources, { functionName, principal, sourceArn }: Invocation): boolean {
  return resources.ofType(permission.type).some(
    ({ inputs }) =>
      inputs.action === "lambda:InvokeFunction" &&
      inputs.function === functionName &&
      inputs.principal === principal &&
      // A permission without a source would let every account's resource in, so that it does not count.
      typeof inputs.sourceArn === "string" &&
      patternOf(inputs.sourceArn).test(sourceArn),
  );
}
