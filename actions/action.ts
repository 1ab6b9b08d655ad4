// How one function asks another: by invoking it with an action and its input, and waiting for the answer. What the asked function
// refuses is data, since an error that is thrown keeps neither its class nor its code; what fails is thrown.
import * as z from "zod";
import { Refusal, refusalCodes } from "../domain/kernel/refusal.ts";

/** The actions that a function answers, each with the schema of its input and of its result in JSON (actions/<function>.ts). */
export type Actions = Record<string, { input: z.ZodType; result: z.ZodType }>;
export type ActionName<A extends Actions> = keyof A & string;
export type ActionInput<A extends Actions, N extends keyof A> = z.output<A[N]["input"]>;
export type ActionResult<A extends Actions, N extends keyof A> = z.output<A[N]["result"]>;

export type ActionRequest = { action: string; input: unknown };

const crossedRefusal = z.object({
  code: z.enum(refusalCodes),
  message: z.string(),
  fields: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  retryAfterSeconds: z.number().optional(),
});

const answerSchema = z.union([z.object({ refusal: crossedRefusal }), z.object({ result: z.unknown() })]);
export type ActionAnswer = z.output<typeof answerSchema>;

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
