// The log of the model host's invocations, which the program reads and does not make.
import type { Resources } from "../../emulators/pulumi/resources.ts";
import { lambdaFunction } from "../../emulators/pulumi/services/lambda.ts";

/** The log group that a function of the program reads for invocations of models, if there is one. */
export function declaredInvocationGroup(resources: Resources): string | undefined {
  const functions = resources.ofType(lambdaFunction.type);
  return functions.map(({ inputs }) => inputs.environment?.variables?.INVOCATION_LOG_GROUP).find((group) => group);
}
