// The keys of a stack's configuration for the model host.
import * as z from "zod";

/** The account that pays for models, if it is not the platform's own. */
const modelHost = z.strictObject({
  account: z.string().regex(/^\d{12}$/, "must be an account's 12 digits, as a string"),
  /** A role there that whoever deploys this stack may assume: it makes the role that calls models. */
  deploymentRole: z.string().regex(/^[\w+=,.@/-]{1,128}$/, "must be the name of a role, with its path"),
});

export const modelHostKeys = {
  modelHost: modelHost.optional(),
  /**
   * The log group to which Bedrock's invocation logging writes, in each region where models are called and in the account that has them. Calls whose
   * end nobody heard are then billed by its lines.
   */
  invocationLogs: z
    .string()
    .regex(/^[\w./#-]{1,512}$/, "must be the name of a log group")
    .optional(),
  /** Models that are called by Bedrock's Messages endpoint instead of InvokeModel; `*` for all (stack-catalog.ts checks them). */
  messagesEndpoint: z.array(z.string().min(1)).default([]),
};

/** Mistakes that no value shows alone. */
export function modelHostProblems({ messagesEndpoint, invocationLogs }: Record<string, unknown>): string[] {
  const isNative = Array.isArray(messagesEndpoint) && messagesEndpoint.length > 0;
  if (!isNative || invocationLogs === undefined) return [];
  return [
    "messagesEndpoint: is not possible with archway:invocationLogs: nobody knows how its calls are named in the log",
  ];
}
