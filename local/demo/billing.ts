// Sets the local payment account up as an operator does with a real one: by the code of `npm run stripe:setup`, with its secrets in
// the secret store.
import { setUpAccount } from "../../adapters/stripe/account-setup.ts";
import { lambdaFunction } from "../../emulators/pulumi/services/lambda.ts";
import { platformDomain, stripePages } from "../edge/virtual-hosts.ts";
import type { Program } from "../program/program.ts";
import type { Stack } from "../running-stack.ts";

/** The key of the local Stripe, which accepts any. */
const secretKey = "sk_test_local";

/** Does nothing if the stack has no billing or the account is set up. */
export async function setUpBilling(stack: Pick<Stack, "program" | "secretsManager" | "at">): Promise<void> {
  const { program, secretsManager, at } = stack;
  const secretArn = variable(program, "STRIPE_SECRET_ARN");
  if (secretArn === undefined) return;
  secretsManager.create(secretArn, JSON.stringify({ secret_key: secretKey }));
  const read = () => JSON.parse(secretsManager.get(secretArn) ?? "{}");
  await setUpAccount(
    { secretKey, address: at(stripePages) },
    {
      slots: Number(variable(program, "MAX_WORKSPACES")),
      webhookUrl: `https://api.${platformDomain(program)}/v1/webhooks/stripe`,
      secrets: {
        get: async () => {
          const { webhook_destination_id: destinationId, webhook_secret: signingSecret } = read();
          return destinationId && { destinationId, signingSecret };
        },
        put: async ({ destinationId, signingSecret }) => {
          const webhook = { webhook_destination_id: destinationId, webhook_secret: signingSecret };
          secretsManager.put(secretArn, JSON.stringify({ ...read(), ...webhook }));
        },
      },
    },
  );
}

/** Whether the stack bills. */
export function isBilling(program: Program): boolean {
  return variable(program, "STRIPE_SECRET_ARN") !== undefined;
}

/** Gives the value of an environment variable that some function of the program has. */
function variable({ resources }: Program, name: string): string | undefined {
  const functions = resources.ofType(lambdaFunction.type);
  return functions.map(({ inputs }) => inputs.environment?.variables?.[name]).find((value) => value !== undefined);
}
