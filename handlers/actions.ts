// The handler of an asked function: it carries out one action at a time, and answers with its result or with a refusal.
import type { ActionAnswer, ActionInput, ActionRequest, ActionResult, Actions } from "../actions/action.ts";
import type { Log } from "../domain/kernel/log.ts";
import { Refusal } from "../domain/kernel/refusal.ts";
import { statusOf } from "./middleware/refusal-form.ts";

type Implementation<A extends Actions> = {
  [N in keyof A]: (input: ActionInput<A, N>) => Promise<ActionResult<A, N>>;
};

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
