// How one function asks another: by invoking it with an action and its input, and waiting for the answer. What the asked function
// refuses is data, since an error that is thrown keeps neither its class nor its code; what fails is thrown.
import * as z from "zod";
import type { Log } from "../domain/kernel/log.ts";
import { Refusal, type RefusalCode } from "../domain/kernel/refusal.ts";
import { refusalForms, statusOf } from "./middleware/refusal-form.ts";

/** The actions that a function answers, each with the schema of its input and of its result in JSON (handlers/<name>/actions.ts). */
export type Actions = Record<string, { input: z.ZodType; result: z.ZodType }>;
export type ActionName<A extends Actions> = keyof A & string;
export type ActionInput<A extends Actions, N extends keyof A> = z.output<A[N]["input"]>;
export type ActionResult<A extends Actions, N extends keyof A> = z.output<A[N]["result"]>;

export type ActionRequest = { action: string; input: unknown };

const crossedRefusal = z.object({
  code: z.enum(Object.keys(refusalForms) as RefusalCode[]),
  message: z.string(),
  fields: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  retryAfterSeconds: z.number().optional(),
});

const answerSchema = z.union([z.object({ refusal: crossedRefusal }), z.object({ result: z.unknown() })]);
export type ActionAnswer = z.output<typeof answerSchema>;

type Implementation<A extends Actions> = {
  [N in keyof A]: (input: ActionInput<A, N>) => Promise<ActionResult<A, N>>;
};

/** The asked function's handler. */
export function answerActions<A extends Actions>(actions: A, implementation: Implementation<A>, log: Log) {
  return async ({ action, input }: ActionRequest): Promise<ActionAnswer> => {
    if (!Object.hasOwn(actions, action)) throw new Error("An unknown action was asked for");
    const parsed = actions[action]?.input.parse(input) as ActionInput<A, string>;
    try {
      return { result: await (implementation as Implementation<Actions>)[action]?.(parsed) };
    } catch (error) {
      if (!(error instanceof Refusal)) {
        log.problem("An action failed", { action }, error);
        throw error;
      }
      if (statusOf(error.code) >= 500) log.problem(error.code, { action }, error.cause ?? error);
      const { code, message, fields, retryAfterSeconds } = error;
      return {
        refusal: {
          code,
          message,
          ...(fields && { fields: [...fields] }),
          ...(retryAfterSeconds && { retryAfterSeconds }),
        },
      };
    }
  };
}

/** The asking function's reading of an answer. @throws Refusal if that is what the answer says */
export function resultOf<A extends Actions, N extends ActionName<A>>(
  actions: A,
  action: N,
  answer: unknown,
): ActionResult<A, N> {
  const parsed = answerSchema.parse(answer);
  if ("refusal" in parsed) throw new Refusal(parsed.refusal.code, parsed.refusal.message, parsed.refusal);
  return actions[action]?.result.parse(parsed.result) as ActionResult<A, N>;
}
