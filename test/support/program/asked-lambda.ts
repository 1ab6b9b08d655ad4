// Lambda with one function that always answers the same.
import type { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { invocation } from "../../../adapters/functions/invocation.ts";

type Answer = { FunctionError?: string; payload: unknown };

/** What invokes it, and what it was asked for: ARN and payload. */
export function lambdaWith(answer: Answer | Error) {
  const asked: [arn: string | undefined, payload: unknown][] = [];
  const client = {
    send: async ({ input }: InvokeCommand) => {
      asked.push([input.FunctionName, JSON.parse(String(input.Payload))]);
      if (answer instanceof Error) throw answer;
      const { payload, ...rest } = answer;
      return { ...rest, Payload: { transformToString: () => JSON.stringify(payload) } };
    },
  } as unknown as LambdaClient;
  return { asked, invoke: invocation(undefined, async () => client) };
}
