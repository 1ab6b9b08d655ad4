// The dependencies of provisioning on AWS.
import { randomUUID } from "node:crypto";
import { cognitoAccounts } from "../../adapters/cognito-accounts.ts";
import { documentClient } from "../../adapters/dynamodb/client.ts";
import { customerStore } from "../../adapters/dynamodb/customers.ts";
import { invitationEnd } from "../../adapters/dynamodb/invitations.ts";
import { sweepProgress } from "../../adapters/dynamodb/sweep-progress.ts";
import { tenantSetups } from "../../adapters/dynamodb/tenant-setups.ts";
import { accessRows, tenantStore } from "../../adapters/dynamodb/tenants.ts";
import { userStore } from "../../adapters/dynamodb/users.ts";
import { tenantKeys } from "../../adapters/kms.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import { paymentSecret } from "../../adapters/secrets.ts";
import { setupJobQueue } from "../../adapters/setup-job-queue.ts";
import { stripePayments } from "../../adapters/stripe/payment-provider.ts";
import { ownerPayments } from "../../domain/billing/owner-payments.ts";
import type { PaymentProvider } from "../../domain/billing/payment-provider.ts";
import { keyEffect } from "../../domain/tenancy/tenant-key.ts";
import type { Env } from "../contract.ts";
import type { provision } from "./contract.ts";
import type { ProvisionDependencies } from "./dependencies.ts";

export function provisionDependencies(env: Env<typeof provision>): ProvisionDependencies {
  const client = documentClient();
  const clock = Date.now;
  const accounts = cognitoAccounts(env.USER_POOL_ID);
  const keys = tenantKeys({ stack: env.STACK_NAME, policy: env.KEY_POLICY });
  const setups = tenantSetups(client, env.TABLE_NAME);
  const tenants = tenantStore(client, env.TABLE_NAME);
  const payments = env.STRIPE_SECRET_ARN === undefined ? undefined : paymentsOf(env.STRIPE_SECRET_ARN, clock);
  const automaticTax = env.BILLING_TAX === "automatic";
  const customers = customerStore(client, env.TABLE_NAME);
  return {
    ownerPayments: payments && ownerPayments({ payments, customers, tenants, automaticTax }),
    accounts,
    people: accounts,
    tenants,
    users: userStore(client, env.TABLE_NAME),
    keys,
    setups,
    effects: { kms_key: keyEffect({ keys, setups, clock }), ...accessRows(client, env.TABLE_NAME, { clock }) },
    jobs: setupJobQueue(env.JOBS_QUEUE_URL),
    invitations: invitationEnd(client, env.TABLE_NAME),
    progress: sweepProgress(client, env.TABLE_NAME),
    platformAdmins: env.PLATFORM_ADMINS,
    log: powertoolsLog("provision"),
    clock,
    newId: randomUUID,
  };
}

/** Its client is kept as long as the account's key is the same. */
function paymentsOf(secretArn: string, clock: () => number): () => Promise<PaymentProvider> {
  const secret = paymentSecret(secretArn, clock);
  let kept: { secretKey: string; payments: PaymentProvider } | undefined;
  return async () => {
    const { secretKey } = await secret();
    if (kept?.secretKey !== secretKey) kept = { secretKey, payments: stripePayments({ secretKey }) };
    return kept.payments;
  };
}
