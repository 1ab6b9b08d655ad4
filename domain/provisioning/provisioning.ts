// What others ask of the function `provision`, which alone administers keys and accounts: each action with what it takes and
// gives, as it crosses from function to function.
import * as z from "zod";
import { paymentStateSchema } from "../billing/owner-payments.ts";
import { Refusal, type RefusalCode, refusals } from "../kernel/refusal.ts";
import { accountStates } from "../workspace/accounts.ts";

/** Cognito takes 25 such calls a second (docs.aws.amazon.com/cognito/latest/developerguide/quotas.html, "UserAccount"). */
export const accountsOfCall = 25;

const tenant = z.object({ tenant_id: z.string() });
const email = z.object({ email: z.string() });

export const provisionActions = {
  invite_account: { input: email, result: z.object({ sub: z.string(), state: z.enum(accountStates) }) },
  resend_invitation: { input: email, result: z.object({ sent: z.boolean() }) },
  /** Carries out what of a tenant's creation lies outside the table, as far as anybody provides it. */
  set_up_tenant: { input: tenant, result: z.object({}) },
  /** Removes what a deleted tenant has outside the table, its people aside; nothing while its usage is still to be billed. */
  remove_tenant: {
    input: tenant,
    result: z.object({ removed: z.union([z.record(z.string(), z.int()), z.literal("waiting")]) }),
  },
  /**
   * Removes the accounts of those people of a deleted tenant who belong to no other one. `gone` are all of them who have no
   * account any more, also those of an earlier call.
   */
  remove_accounts: {
    input: tenant.extend({ subs: z.array(z.string()).max(accountsOfCall) }),
    result: z.object({ gone: z.array(z.string()), removed: z.int() }),
  },
  /** What the payment provider has of a tenant and its owner. */
  payment_state: { input: tenant, result: z.object({ state: paymentStateSchema.nullable() }) },
  open_payment_setup: {
    input: tenant.extend({ success_url: z.string(), cancel_url: z.string() }),
    result: z.object({ url: z.string() }),
  },
  open_payment_portal: { input: tenant.extend({ return_url: z.string() }), result: z.object({ url: z.string() }) },
} as const;

export type ProvisionAction = keyof typeof provisionActions;
export type ProvisionInput<A extends ProvisionAction> = z.output<(typeof provisionActions)[A]["input"]>;
export type ProvisionResult<A extends ProvisionAction> = z.output<(typeof provisionActions)[A]["result"]>;

export type ProvisionRequest = { action: ProvisionAction; input: unknown };

export const provisionRequestSchema = z.object({
  action: z.enum(Object.keys(provisionActions) as ProvisionAction[]),
  input: z.unknown(),
});

const crossing = z.object({
  code: z.enum(Object.keys(refusals) as RefusalCode[]),
  message: z.string(),
  fields: z.array(z.string()).optional(),
  retryAfterSeconds: z.number().optional(),
});

/** An answer, or a refusal as data: an error that is thrown keeps neither its class nor its code. */
export const provisionAnswerSchema = z.union([z.object({ refusal: crossing }), z.object({ result: z.unknown() })]);

export type ProvisionAnswer = z.output<typeof provisionAnswerSchema>;

/** A refusal as it crosses. */
export function crossingRefusal({ code, message, fields, retryAfterSeconds }: Refusal): z.output<typeof crossing> {
  return { code, message, ...(fields && { fields: [...fields] }), ...(retryAfterSeconds && { retryAfterSeconds }) };
}

/** @throws Refusal if that is what the answer says. */
export function resultOf<A extends ProvisionAction>(action: A, answer: ProvisionAnswer): ProvisionResult<A> {
  if ("refusal" in answer) throw new Refusal(answer.refusal.code, answer.refusal.message, answer.refusal);
  return provisionActions[action].result.parse(answer.result) as ProvisionResult<A>;
}
