// Invokes other functions of the platform and waits for their answers. The SDK's client is a chunk of its own, loaded with the
// first question: most instances ask none.
import type { LambdaClient } from "@aws-sdk/client-lambda";
import { type ActionInput, type ActionName, type ActionResult, type Actions, resultOf } from "../../actions/action.ts";
import type { Refusal } from "../../domain/kernel/refusal.ts";
import { agents } from "../connections.ts";

/** Asks one function for its actions. @throws Refusal of the asked function; Error if it failed or did not answer */
export type Ask<A extends Actions> = <N extends ActionName<A>>(
  action: N,
  input: ActionInput<A, N>,
) => Promise<ActionResult<A, N>>;

type AskedFunction<A extends Actions> = {
  /** The function's name in error messages. */
  name: string;
  arn: string;
  actions: A;
  /** The refusal for a function that is not known to have run; an Error by default. */
  unavailable?: (cause: unknown) => Refusal;
};

export type Invocation = <A extends Actions>(asked: AskedFunction<A>) => Ask<A>;

/** A request to the control plane ends after 29 s; a function's cold start takes a second or two. */
const requestPatienceMs = 8_000;

/**
 * Each question is asked once: a second invocation might meet the first one at work.
 * @param patienceMs how long to wait for a whole answer
 * @param newClient makes the client of all asked functions, with the first question
 */
export function invocation(
  patienceMs = requestPatienceMs,
  newClient: (timeoutMs: number) => Promise<LambdaClient> = lambdaClient,
): Invocation {
  let made: Promise<LambdaClient> | undefined;
  return ({ name, arn, actions, unavailable }) =>
    async (action, input) => {
      const { InvokeCommand } = await import("@aws-sdk/client-lambda");
      made ??= newClient(patienceMs);
      const client = await made;
      const command = new InvokeCommand({ FunctionName: arn, Payload: JSON.stringify({ action, input }) });
      const { FunctionError, Payload } = await client.send(command).catch((cause: unknown) => {
        throw unavailable?.(cause) ?? new Error(`${name} did not answer`, { cause });
      });
      const text = Payload?.transformToString() ?? "";
      if (FunctionError !== undefined) throw new Error(`${name} failed at ${action}: ${errorTypeOf(text)}`);
      return resultOf(actions, action, JSON.parse(text));
    };
}

async function lambdaClient(requestTimeout: number): Promise<LambdaClient> {
  const { LambdaClient } = await import("@aws-sdk/client-lambda");
  return new LambdaClient({
    requestHandler: { connectionTimeout: 1_000, requestTimeout, ...agents(), throwOnRequestTimeout: true },
    maxAttempts: 1,
  });
}

/** The error's message may hold anything; its type is a name. */
function errorTypeOf(payload: string): string {
  return /"errorType":"([\w.]{1,80})"/.exec(payload)?.[1] ?? "without a type";
}
