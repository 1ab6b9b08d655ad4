// The payment account's secret in Secrets Manager, a JSON document. Its values get into no error and no log.
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import * as z from "zod";
import type { WebhookSecretStore } from "../../domain/billing/webhook-secret.ts";
import { Refusal } from "../../domain/kernel/refusal.ts";
import { agents } from "../connections.ts";

export type PaymentSecret = {
  /** The account's key, by which its API is called. */
  secretKey: string;
  /** The secret that the account's webhook signs with; absent until the account is set up. */
  webhookSecret: string | undefined;
};

const text = z.string().min(1);
const withKey = z.object({ secret_key: text, webhook_secret: text.optional() });
const withWebhook = z.object({ webhook_destination_id: text, webhook_secret: text });

/** How long a value is kept: a changed secret counts after this time at the latest. */
const keptMs = 300_000;
const timeouts = { connectionTimeout: 1_000, requestTimeout: 3_000 };

/**
 * A read of the secret, kept for five minutes, and longer while it cannot be read.
 * @returns a call that throws Refusal `payments_unavailable` if Secrets Manager gives nothing, Error if it gives something else
 */
export function paymentSecret(
  secretArn: string,
  clock: () => number,
  client = secretsClient(),
): () => Promise<PaymentSecret> {
  let kept: { secret: PaymentSecret; until: number } | undefined;
  return async () => {
    if (kept && clock() < kept.until) return kept.secret;
    try {
      kept = { secret: await read(), until: clock() + keptMs };
      return kept.secret;
    } catch (error) {
      if (kept) return kept.secret;
      throw error;
    }
  };

  async function read(): Promise<PaymentSecret> {
    const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: secretArn })).catch((error) => {
      throw unavailable(error);
    });
    const { data } = withKey.safeParse(parsed(SecretString));
    // The parser's own message may quote what it read, so it is not told.
    if (!data) throw new Error("the payment account's secret is no JSON with a secret_key");
    return { secretKey: data.secret_key, webhookSecret: data.webhook_secret };
  }
}

/**
 * The webhook's part of the document, for who sets the account up; the rest stays as it is.
 * @param secretId the secret's ARN or name. It must exist; whoever puts needs `secretsmanager:PutSecretValue`, whoever gets
 *   `secretsmanager:GetSecretValue` on it.
 */
export function webhookSecrets(secretId: string, client = new SecretsManagerClient()): WebhookSecretStore {
  const read = async () => {
    const value = await client.send(new GetSecretValueCommand({ SecretId: secretId })).catch(noneYet);
    return parsed(value?.SecretString);
  };
  return {
    get: async () => {
      const { data } = withWebhook.safeParse(await read());
      return data && { destinationId: data.webhook_destination_id, signingSecret: data.webhook_secret };
    },
    put: async ({ destinationId, signingSecret }) => {
      const { data: rest } = z.record(z.string(), z.unknown()).safeParse(await read());
      const document = { ...rest, webhook_destination_id: destinationId, webhook_secret: signingSecret };
      const command = new PutSecretValueCommand({ SecretId: secretId, SecretString: JSON.stringify(document) });
      await client.send(command);
    },
  };
}

function secretsClient(): SecretsManagerClient {
  return new SecretsManagerClient({ requestHandler: { ...timeouts, ...agents(), throwOnRequestTimeout: true } });
}

/** AWS tells a missing secret and a secret without a value alike. Writing to a missing secret is refused. */
function noneYet(error: unknown): undefined {
  if (error instanceof ResourceNotFoundException) return undefined;
  throw error;
}

/** A secret that is not JSON was put by hand. */
function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return undefined;
  }
}

function unavailable(error: unknown): Refusal {
  const name = error instanceof Error ? error.name : "unknown";
  const message = "The payment provider cannot be asked right now. Try again in a moment.";
  const cause = new Error(`the payment account's secret cannot be read: ${name}`);
  return new Refusal("payments_unavailable", message, { cause });
}
