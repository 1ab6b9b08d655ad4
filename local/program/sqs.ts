// SQS: standard queues and their dead letter queues.
import type { Descriptor, Inputs, WiringContext } from "./descriptor.ts";
import { accountOf, arnOf, physicalName } from "./names.ts";
import type { DeclaredResource } from "./resources.ts";

export const queue: Descriptor = {
  type: "aws:sqs/queue:Queue",
  compute(logicalName, inputs, region) {
    const name = physicalName(logicalName, inputs);
    const url = `https://sqs.${region}.amazonaws.com/${accountOf()}/${name}`;
    return { id: url, outputs: { name, url, arn: arnOf("sqs", region, name) } };
  },
  inputs: {
    served:
      "name visibilityTimeoutSeconds messageRetentionSeconds delaySeconds receiveWaitTimeSeconds maxMessageSize redrivePolicy sqsManagedSseEnabled",
  },
  wiring: queueProblems,
};

export const sqs = [queue];

export type DeadLetterPolicy = { deadLetterTargetArn: string; maxReceiveCount: number };

/** @throws Error if the policy is not JSON. */
export function deadLetterPolicyOf({ redrivePolicy }: Inputs): DeadLetterPolicy | undefined {
  return typeof redrivePolicy === "string" ? JSON.parse(redrivePolicy) : undefined;
}

/** The lowest and the highest value of each input (API reference, CreateQueue). */
const ranges: Record<string, [number, number]> = {
  visibilityTimeoutSeconds: [0, 43_200],
  messageRetentionSeconds: [60, 1_209_600],
  delaySeconds: [0, 900],
  receiveWaitTimeSeconds: [0, 20],
  maxMessageSize: [1_024, 1_048_576],
};

function queueProblems({ name, inputs }: DeclaredResource, { resources }: WiringContext): string[] {
  const outside = Object.entries(ranges)
    .filter(([input, [low, high]]) => inputs[input] < low || inputs[input] > high)
    .map(([input, [low, high]]) => `queue ${name}: its ${input} must be from ${low} to ${high}`);
  const policy = deadLetterPolicyOf(inputs);
  if (!policy) return outside;
  const { maxReceiveCount, deadLetterTargetArn } = policy;
  const isDeclared = resources.byArn(deadLetterTargetArn)?.type === queue.type;
  return [
    ...outside,
    ...(isDeclared ? [] : [`queue ${name}: its dead letter queue is not declared`]),
    ...(maxReceiveCount >= 1 && maxReceiveCount <= 1000
      ? []
      : [`queue ${name}: its maxReceiveCount must be from 1 to 1000`]),
  ];
}
