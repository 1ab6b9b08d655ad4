// Provisioning. Other functions invoke it with an action and wait for the answer: what it refuses is data, what fails is thrown.
// Its schedule sweeps, its queue completes what takes longer.
import middy from "@middy/core";
import type { EventBridgeEvent, SQSBatchResponse, SQSEvent } from "aws-lambda";
import type { OwnerPayments } from "../../domain/billing/owner-payments.ts";
import { Refusal } from "../../domain/kernel/refusal.ts";
import {
  crossingRefusal,
  type ProvisionAction,
  type ProvisionAnswer,
  type ProvisionInput,
  type ProvisionRequest,
  type ProvisionResult,
  provisionActions,
  provisionRequestSchema,
} from "../../domain/provisioning/provisioning.ts";
import { removeAccounts, removeTenantOutside } from "../../domain/provisioning/removal.ts";
import { sweep, workOff } from "../../domain/provisioning/sweep.ts";
import { setUpOutside, setupJobSchema } from "../../domain/provisioning/tenant-setup.ts";
import { queueBatch } from "../middleware/queue-batch.ts";
import type { ProvisionDependencies } from "./dependencies.ts";

type ScheduledEvent = Pick<EventBridgeEvent<"Scheduled Event", unknown>, "source" | "detail-type">;
export type ProvisionEvent = ProvisionRequest | SQSEvent | ScheduledEvent;

type Actions = { [A in ProvisionAction]: (input: ProvisionInput<A>) => Promise<ProvisionResult<A>> };

export function provisionHandler(deps: ProvisionDependencies) {
  const { accounts, log } = deps;
  const work = queueBatch({ body: setupJobSchema, work: (job) => workOff(deps, job), log });
  const actions: Actions = {
    invite_account: ({ email }) => accounts.invite(email),
    resend_invitation: async ({ email }) => ({ sent: await accounts.resend(email) }),
    async set_up_tenant({ tenant_id }) {
      await setUpOutside(deps, tenant_id);
      return {};
    },
    remove_tenant: async ({ tenant_id }) => ({ removed: await removeTenantOutside(deps, tenant_id) }),
    remove_accounts: (input) => removeAccounts(deps, input),
    payment_state: async ({ tenant_id }) => ({ state: (await payments().state(tenant_id)) ?? null }),
    open_payment_setup: async ({ tenant_id, success_url: successUrl, cancel_url: cancelUrl }) => ({
      url: await payments().setupPage(tenant_id, { successUrl, cancelUrl }),
    }),
    open_payment_portal: async ({ tenant_id, return_url: returnUrl }) => ({
      url: await payments().portalPage(tenant_id, { returnUrl }),
    }),
  };

  function payments(): OwnerPayments {
    if (deps.ownerPayments) return deps.ownerPayments;
    throw new Refusal("not_found", "This platform bills nobody.");
  }

  return middy<ProvisionEvent, ProvisionAnswer | SQSBatchResponse | undefined>().handler(async (event) => {
    if ("Records" in event) return work(event);
    if ("action" in event) return answer(provisionRequestSchema.parse(event));
    await sweep(deps);
    return undefined;
  });

  async function answer({ action, input }: ProvisionRequest): Promise<ProvisionAnswer> {
    try {
      return { result: await act(action, input) };
    } catch (error) {
      if (error instanceof Refusal) {
        if (error.status >= 500) log.problem(error.code, { action }, error.cause ?? error);
        return { refusal: crossingRefusal(error) };
      }
      log.problem("An action failed", { action }, error);
      throw error;
    }
  }

  async function act<A extends ProvisionAction>(action: A, input: unknown): Promise<ProvisionResult<A>> {
    return actions[action](provisionActions[action].input.parse(input) as ProvisionInput<A>);
  }
}
