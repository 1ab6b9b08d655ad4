// Provisioning: other functions invoke it with an action and wait for the answer. What it refuses is data, what fails is thrown.
import middy from "@middy/core";
import { Refusal } from "../../domain/refusal.ts";
import {
  crossingRefusal,
  type ProvisionAction,
  type ProvisionAnswer,
  type ProvisionInput,
  type ProvisionRequest,
  type ProvisionResult,
  provisionActions,
  provisionRequestSchema,
} from "../../domain/tenancy/provisioning.ts";
import type { ProvisionDependencies } from "./dependencies.ts";

type Actions = { [A in ProvisionAction]: (input: ProvisionInput<A>) => Promise<ProvisionResult<A>> };

export function provisionHandler(deps: ProvisionDependencies) {
  const { accounts, log } = deps;
  const actions: Actions = {
    invite_account: ({ email }) => accounts.invite(email),
    resend_invitation: async ({ email }) => ({ sent: await accounts.resend(email) }),
  };

  return middy<ProvisionRequest, ProvisionAnswer>().handler(async (event) => {
    const { action, input } = provisionRequestSchema.parse(event);
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
  });

  async function act<A extends ProvisionAction>(action: A, input: unknown): Promise<ProvisionResult<A>> {
    return actions[action](provisionActions[action].input.parse(input) as ProvisionInput<A>);
  }
}
