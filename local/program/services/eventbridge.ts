// EventBridge: rules at a rate, and the functions that they invoke.
import type { Descriptor, WiringContext } from "../descriptor.ts";
import { named } from "../names.ts";
import type { DeclaredResource } from "../resources.ts";
import { mayInvoke } from "./lambda.ts";

export const eventRule: Descriptor = {
  type: "aws:cloudwatch/eventRule:EventRule",
  compute: named("events", "rule/"),
  inputs: { served: "name scheduleExpression", noEffect: "description" },
};

export const eventTarget: Descriptor = {
  type: "aws:cloudwatch/eventTarget:EventTarget",
  compute: (name, inputs) => ({ id: `${inputs.rule}-${name}`, outputs: { targetId: name } }),
  inputs: { served: "rule arn" },
  wiring: targetProblems,
};

export const eventBridge = [eventRule, eventTarget];

function targetProblems({ name, inputs }: DeclaredResource, { resources }: WiringContext): string[] {
  const rule = resources.byName(eventRule.type, inputs.rule);
  const functionName = resources.byArn(inputs.arn)?.outputs.name;
  if (!rule || !functionName) return [`schedule ${name}: its rule or its function is not declared`];
  const invocation = { functionName, principal: "events.amazonaws.com", sourceArn: rule.outputs.arn };
  return mayInvoke(resources, invocation) ? [] : [`schedule ${name}: EventBridge may not invoke ${functionName}`];
}
