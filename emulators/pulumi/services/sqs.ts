// SQS: standard queues and their dead letter queues.
import type { Descriptor, Inputs, WiringContext } from "../descriptor.ts";
import { accountOf, arnOf, physicalName } from "../names.ts";
import { outOfRange, type Ranges } from "../ranges.ts";
import type { DeclaredResource } from "../resources.ts";

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

/** The policy of a queue, which lets others use it, e.g. EventBridge. */
export const queuePolicy: Descriptor = {
  type: "aws:sqs/queuePolicy:QueuePolicy",
  compute: (_name, inputs) => ({ id: String(inputs.queueUrl), outputs: {} }),
  inputs: { served: "queueUrl policy" },
};

export const sqs = [queue, queuePolicy];

export type DeadLetterPolicy = { deadLetterTargetArn: string; maxReceiveCount: number };

/** @throws Error if the policy is not JSON. */
export function deadLetterPolicyOf({ redrivePolicy }: Inputs): DeadLetterPolicy | undefined {
  return typeof redrivePolicy === "string" ? JSON.parse(redrivePolicy) : undefined;
}

/** API reference, CreateQueue. */
const ranges: Ranges = {
  visibilityTimeoutSeconds: [0, 43_200],
  messageRetentionSeconds: [60, 1_209_600],
  delaySeconds: [0, 900],
  receiveWaitTimeSeconds: [0, 20],
  maxMessageSize: [1_024, 1_048_576],
};

function queueProblems({ name, inputs }: DeclaredResource, { resources }: WiringContext): string[] {
  const redrive = deadLetterPolicyOf(inputs);
  const isDeclared = !redrive || resources.byArn(redrive.deadLetterTargetArn)?.type === queue.type;
  return [
    ...outOfRange(`queue ${name}`, { ...inputs, ...redrive }, { ...ranges, maxReceiveCount: [1, 1_000] }),
    ...(isDeclared ? [] : [`queue ${name}: its dead letter queue is not declared`]),
  ];
}
