// The rights that wiring needs and no call shows: on AWS a missing one means silence, so here it stops the start.
import type { Iam } from "../iam/iam.ts";
import type { DeclaredResource, Resources } from "./resources.ts";

/** @throws Error that lists every right that is missing. */
export async function checkWiring(resources: Resources, iam: Iam): Promise<void> {
  const functions = resources.ofType("aws:lambda/function:Function");
  const problems = [
    ...(await Promise.all(functions.map((fn) => functionProblems(fn, resources, iam)))).flat(),
    ...triggerProblems(resources),
    ...apiProblems(resources),
    ...scheduleProblems(resources),
    ...urlProblems(resources),
    ...(await iam.unknownNames()),
  ];
  if (problems.length > 0) throw new Error(`The program's wiring is incomplete:\n${indented(problems)}`);
}

function indented(lines: string[]): string {
  return lines.map((line) => `  ${line}`).join("\n");
}

/** Lambda must be trusted with the role, and the role must be able to write the function's log. */
async function functionProblems({ name, inputs }: DeclaredResource, resources: Resources, iam: Iam): Promise<string[]> {
  const trusted = await iam.decideTrust(inputs.role, "lambda.amazonaws.com", "sts:AssumeRole");
  const problems = trusted.allowed ? [] : [`function ${name}: its role does not trust lambda.amazonaws.com`];
  const group = resources.byName("aws:cloudwatch/logGroup:LogGroup", inputs.loggingConfig?.logGroup);
  if (!group) return [...problems, `function ${name}: its log group is not declared`];
  const principal = { roleArn: inputs.role, sessionName: "wiring", sessionTags: {} };
  for (const action of ["logs:CreateLogStream", "logs:PutLogEvents"]) {
    const resource = `${group.outputs.arn}:log-stream:wiring`;
    const { allowed } = await iam.decide(principal, { action, resource });
    if (!allowed) problems.push(`function ${name}: its role lacks ${action} on its log group`);
  }
  return problems;
}

type Permission = { functionName: string; principal: string; sourceArn: string };

/** Whether a resource policy lets a service invoke the function for this source. */
function mayInvoke(resources: Resources, { functionName, principal, sourceArn }: Permission): boolean {
  return resources
    .ofType("aws:lambda/permission:Permission")
    .some(
      ({ inputs }) =>
        inputs.action === "lambda:InvokeFunction" &&
        inputs.function === functionName &&
        inputs.principal === principal &&
        matchesArn(inputs.sourceArn, sourceArn),
    );
}

/** `*` stands for any text, as in ArnLike. No source at all would let every account's resource in: it does not count. */
function matchesArn(pattern: unknown, arn: string): boolean {
  if (typeof pattern !== "string") return false;
  const source = pattern.replace(/[.+^${}()|[\]\\?]/g, "\\$&").replaceAll("*", ".*");
  return new RegExp(`^${source}$`).test(arn);
}

function triggerProblems(resources: Resources): string[] {
  return resources.ofType("aws:cognito/userPool:UserPool").flatMap(({ inputs, outputs }) => {
    const { preTokenGenerationConfig, ...triggers } = inputs.lambdaConfig ?? {};
    const arns = [...Object.values(triggers), preTokenGenerationConfig?.lambdaArn].filter((arn) => arn !== undefined);
    return [...new Set(arns as string[])].flatMap((arn) => {
      const functionName = resources.byArn(arn)?.outputs.name;
      if (!functionName) return [`user pool: its trigger ${arn} is not declared`];
      const permission = { functionName, principal: "cognito-idp.amazonaws.com", sourceArn: outputs.arn };
      return mayInvoke(resources, permission) ? [] : [`user pool: Cognito may not invoke its trigger ${functionName}`];
    });
  });
}

function apiProblems(resources: Resources): string[] {
  return resources.ofType("aws:apigatewayv2/integration:Integration").flatMap(({ inputs }) => {
    const api = resources.ofType("aws:apigatewayv2/api:Api").find(({ outputs }) => outputs.id === inputs.apiId);
    const functionName = resources.byArn(inputs.integrationUri)?.outputs.name;
    if (!api || !functionName) return [`HTTP API ${inputs.apiId}: its integration leads to nothing that is declared`];
    const sourceArn = `${api.outputs.executionArn}/$default/$default`;
    const permission = { functionName, principal: "apigateway.amazonaws.com", sourceArn };
    return mayInvoke(resources, permission) ? [] : [`HTTP API ${api.name}: API Gateway may not invoke ${functionName}`];
  });
}

function scheduleProblems(resources: Resources): string[] {
  return resources.ofType("aws:cloudwatch/eventTarget:EventTarget").flatMap(({ name, inputs }) => {
    const rule = resources.byName("aws:cloudwatch/eventRule:EventRule", inputs.rule);
    const functionName = resources.byArn(inputs.arn)?.outputs.name;
    if (!rule || !functionName) return [`schedule ${name}: its rule or its function is not declared`];
    const permission = { functionName, principal: "events.amazonaws.com", sourceArn: rule.outputs.arn };
    return mayInvoke(resources, permission) ? [] : [`schedule ${name}: EventBridge may not invoke ${functionName}`];
  });
}

/** Since October 2025 a public function URL needs both permissions, else each call is answered 403. */
function urlProblems(resources: Resources): string[] {
  const permissions = resources.ofType("aws:lambda/permission:Permission").map(({ inputs }) => inputs);
  return resources.ofType("aws:lambda/functionUrl:FunctionUrl").flatMap(({ name, inputs }) => {
    const open = permissions.filter((p) => p.function === inputs.functionName && p.principal === "*");
    const byUrl = open.some((p) => p.action === "lambda:InvokeFunctionUrl" && p.functionUrlAuthType === "NONE");
    const invoke = open.some((p) => p.action === "lambda:InvokeFunction" && p.invokedViaFunctionUrl === true);
    return [
      ...(byUrl ? [] : [`function URL ${name}: the permission lambda:InvokeFunctionUrl is missing`]),
      ...(invoke ? [] : [`function URL ${name}: the permission lambda:InvokeFunction is missing`]),
    ];
  });
}
