// EventBridge: rules at a rate, and the functions that they invoke.
import type { Descriptor, WiringContext } from "../descriptor.ts";
import { named } from "../names.ts";
import type { DeclaredResource, Resources } from "../resources.ts";
import { mayInvoke } from "./lambda.ts";
import { queuePolicy } from "./sqs.ts";

export const eventRule: Descriptor = {
  type: "aws:cloudwatch/eventRule:EventRule",
  compute: named("events", "rule/"),
  inputs: { served: "name scheduleExpression", noEffect: "description" },
};

export const eventTarget: Descriptor = {
  type: "aws:cloudwatch/eventTarget:EventTarget",
  compute: (name, inputs) => ({ id: `${inputs.rule}-${name}`, outputs: { targetId: name } }),
  // No event fails to reach its function here.
  inputs: { served: "rule arn", noEffect: "deadLetterConfig" },
  wiring: targetProblems,
};

export const eventBridge = [eventRule, eventTarget];

function targetProblems({ name, inputs }: DeclaredResource, { resources }: WiringContext): string[] {
  const rule = resources.byName(eventRule.type, inputs.rule);
  const functionName = resources.byArn(inputs.arn)?.outputs.name;
  if (!rule || !functionName) return [`schedule ${name}: its rule or its function is not declared`];
  const invocation = { functionName, principal: "events.amazonaws.com", sourceArn: rule.outputs.arn };
  return [
    ...(mayInvoke(resources, invocation) ? [] : [`schedule ${name}: EventBridge may not invoke ${functionName}`]),
    ...(maySend(inputs.deadLetterConfig?.arn, resources)
      ? []
      : [`schedule ${name}: EventBridge may not send dead letters`]),
  ];
}

/** EventBridge sends to a queue by the queue's own policy. */
function maySend(queueArn: string | undefined, resources: Resources): boolean {
  if (queueArn === undefined) return true;
  const url = resources.byArn(queueArn)?.outputs.url;
  return resources
    .ofType(queuePolicy.type)
    .filter(({ inputs }) => inputs.queueUrl === url)
    .flatMap(({ inputs }) => JSON.parse(inputs.policy).Statement)
    .some(
      ({ Principal, Action, Resource }) =>
        Principal?.Service === "events.amazonaws.com" && Action === "sqs:SendMessage" && Resource === queueArn,
    );
}
