// Asks the function `provision`, which alone may do what its actions do. A refusal of its own arrives as one. The SDK's client is
// a chunk of its own, loaded with the first question: most instances ask none.
import type { LambdaClient } from "@aws-sdk/client-lambda";
import type { OwnerPayments } from "../domain/billing/owner-payments.ts";
import { Refusal } from "../domain/kernel/refusal.ts";
import {
  accountsOfCall,
  type ProvisionAction,
  type ProvisionAnswer,
  type ProvisionInput,
  type ProvisionResult,
  provisionAnswerSchema,
  resultOf,
} from "../domain/provisioning/provisioning.ts";
import type { OutsideRemoval } from "../domain/provisioning/purge.ts";
import type { Accounts } from "../domain/workspace/accounts.ts";
import { agents } from "./connections.ts";

/**
 * Once, for the whole answer: a second invocation might meet the first one at work. A cold start takes a second or two, and who
 * waits for us is given up on after 29.
 */
const timeouts = { connectionTimeout: 1_000, requestTimeout: 8_000 };

export type Provision = <A extends ProvisionAction>(action: A, input: ProvisionInput<A>) => Promise<ProvisionResult<A>>;

/**
 * @param functionArn of `provision`
 * @param newClient made once, with the first question
 * @returns a call that throws Refusal: `provision`'s own, or identity_unavailable if it is not known to have run; and Error if it failed.
 */
export function provisionClient(functionArn: string, newClient: () => Promise<LambdaClient> = lambdaClient): Provision {
  let made: Promise<LambdaClient> | undefined;
  return async (action, input) => {
    const { InvokeCommand } = await import("@aws-sdk/client-lambda");
    made ??= newClient();
    const client = await made;
    const command = new InvokeCommand({ FunctionName: functionArn, Payload: JSON.stringify({ action, input }) });
    const { FunctionError, Payload } = await client.send(command).catch((error: unknown) => {
      throw unavailable(error);
    });
    const text = Payload?.transformToString() ?? "";
    if (FunctionError !== undefined) throw new Error(`provision failed at ${action}: ${errorTypeOf(text)}`);
    return resultOf(action, answerIn(text));
  };
}

/** The accounts of the identity provider, which `provision` administers. */
export function provisionedAccounts(provision: Provision): Accounts {
  return {
    invite: (email) => provision("invite_account", { email }),
    resend: async (email) => (await provision("resend_invitation", { email })).sent,
  };
}

/**
 * The payment provider, whose account `provision` has the key of. Each call throws Refusal `payments_unavailable` if there is no
 * answer in time; a page that was opened and that nobody was told of ends by itself.
 */
export function provisionedPayments(invoke: Provision): OwnerPayments {
  const provision: Provision = (action, input) =>
    invoke(action, input).catch((error: unknown) => {
      if (!(error instanceof Refusal && error.code === "identity_unavailable")) throw error;
      const message = "The payment provider did not answer in time. Try again in a moment.";
      throw new Refusal("payments_unavailable", message, { retryAfterSeconds: 10, cause: error.cause });
    });
  return {
    state: async (tenant_id) => (await provision("payment_state", { tenant_id })).state ?? undefined,
    setupPage: async (tenant_id, { successUrl, cancelUrl }) =>
      (await provision("open_payment_setup", { tenant_id, success_url: successUrl, cancel_url: cancelUrl })).url,
    portalPage: async (tenant_id, { returnUrl }) =>
      (await provision("open_payment_portal", { tenant_id, return_url: returnUrl })).url,
  };
}

/** What lies outside the table, which `provision` removes. */
export function provisionedRemoval(provision: Provision): OutsideRemoval {
  return {
    remove: async ({ tenant_id }) => (await provision("remove_tenant", { tenant_id })).removed,

    async removeAccounts({ tenant_id }, subs) {
      const gone: string[] = [];
      let removed = 0;
      for (let start = 0; start < subs.length; start += accountsOfCall) {
        const batch = subs.slice(start, start + accountsOfCall);
        const answer = await provision("remove_accounts", { tenant_id, subs: batch });
        gone.push(...answer.gone);
        removed += answer.removed;
      }
      return { gone, removed };
    },
  };
}

async function lambdaClient(): Promise<LambdaClient> {
  const { LambdaClient } = await import("@aws-sdk/client-lambda");
  return new LambdaClient({
    requestHandler: { ...timeouts, ...agents(), throwOnRequestTimeout: true },
    maxAttempts: 1,
  });
}

/** Its message may hold anything; its type is a name. */
function errorTypeOf(payload: string): string {
  return /"errorType":"([\w.]{1,80})"/.exec(payload)?.[1] ?? "without a type";
}

function answerIn(payload: string): ProvisionAnswer {
  return provisionAnswerSchema.parse(JSON.parse(payload));
}

function unavailable(cause: unknown): Refusal {
  const message = "The platform cannot do this right now, try again";
  return new Refusal("identity_unavailable", message, { retryAfterSeconds: 1, cause });
}
