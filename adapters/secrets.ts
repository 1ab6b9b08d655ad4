// Secrets Manager: the webhook's secret, as one JSON document in a secret that the program declares.
import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import * as z from "zod";
import type { WebhookSecretStore } from "../domain/billing/webhook-secret.ts";

const document = z.object({ destination_id: z.string(), signing_secret: z.string() });

/**
 * @param secretId the secret's ARN or name. It must exist; whoever puts needs `secretsmanager:PutSecretValue`, whoever gets
 *   `secretsmanager:GetSecretValue` on it.
 */
export function webhookSecrets(secretId: string, client = new SecretsManagerClient()): WebhookSecretStore {
  return {
    get: async () => {
      const value = await client.send(new GetSecretValueCommand({ SecretId: secretId })).catch(noneYet);
      const kept = document.safeParse(parsed(value?.SecretString));
      return kept.data && { destinationId: kept.data.destination_id, signingSecret: kept.data.signing_secret };
    },
    put: async ({ destinationId, signingSecret }) => {
      const SecretString = JSON.stringify({ destination_id: destinationId, signing_secret: signingSecret });
      await client.send(new PutSecretValueCommand({ SecretId: secretId, SecretString }));
    },
  };
}

/** A secret without a value, and one that is not there, are told alike; the latter is refused when it is written. */
function noneYet(error: unknown): undefined {
  if (error instanceof ResourceNotFoundException) return undefined;
  throw error;
}

/** What is no JSON was put by hand. */
function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "null");
  } catch {
    return undefined;
  }
}
