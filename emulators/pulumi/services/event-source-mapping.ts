// Lambda's event source mappings: a queue whose messages invoke a function.
import type { Descriptor, WiringContext } from "../descriptor.ts";
import { idOf } from "../names.ts";
import { outOfRange, type Ranges } from "../ranges.ts";
import type { DeclaredResource, Resources } from "../resources.ts";
import { lambdaFunction } from "./lambda.ts";
import { queue } from "./sqs.ts";

export const eventSourceMapping: Descriptor = {
  type: "aws:lambda/eventSourceMapping:EventSourceMapping",
  compute(name) {
    const uuid = idOf(name, 32);
    return { id: uuid, outputs: { uuid } };
  },
  inputs: {
    served: "eventSourceArn functionName batchSize maximumBatchingWindowInSeconds functionResponseTypes enabled",
    nested: { scalingConfig: { served: "maximumConcurrency" } },
  },
  wiring: mappingProblems,
};

/** The actions that Lambda carries out with the function's role (docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html). */
const pollerActions = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"];

/** API reference, CreateEventSourceMapping. */
const ranges: Ranges = {
  batchSize: [1, 10_000],
  maximumBatchingWindowInSeconds: [0, 300],
  maximumConcurrency: [2, 1_000],
};

/** The function that a mapping names, by its name or its ARN. */
export function mappedFunction({ inputs }: DeclaredResource, resources: Resources): DeclaredResource | undefined {
  return resources.byArn(inputs.functionName) ?? resources.byName(lambdaFunction.type, inputs.functionName);
}

/** Finds the mistakes for which AWS refuses to create the mapping. */
async function mappingProblems(declared: DeclaredResource, { resources, allows }: WiringContext): Promise<string[]> {
  const { name, inputs } = declared;
  const source = resources.byArn(inputs.eventSourceArn);
  const fn = mappedFunction(declared, resources);
  if (source?.type !== queue.type || !fn) return [`event source ${name}: its queue or its function is not declared`];
  const problems = outOfRange(`event source ${name}`, { ...inputs, ...inputs.scalingConfig }, ranges);
  if ((inputs.batchSize ?? 10) > 10 && !inputs.maximumBatchingWindowInSeconds) {
    problems.push(`event source ${name}: a batchSize above 10 needs a maximumBatchingWindowInSeconds`);
  }
  const hidden = source.inputs.visibilityTimeoutSeconds ?? 30;
  const timeout = fn.inputs.timeout ?? 3;
  if (hidden < timeout) {
    problems.push(
      `event source ${name}: the visibility timeout of queue ${source.name}, ${hidden} s, is less than the timeout of its function, ${timeout} s`,
    );
  }
  for (const action of pollerActions) {
    const allowed = await allows(fn.inputs.role, action, source.outputs.arn);
    if (!allowed) problems.push(`event source ${name}: the role of ${fn.name} lacks ${action} on queue ${source.name}`);
  }
  return problems;
}
