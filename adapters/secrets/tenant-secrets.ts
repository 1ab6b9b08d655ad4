// Tenants' secrets in Secrets Manager, each encrypted with its tenant's own key. Their values get into no error and no log.
import {
  CreateSecretCommand,
  DeleteSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import type { TenantSecrets } from "../../domain/mcp/agentcore-gateways.ts";
import { agents } from "../connections.ts";

const timeouts = { connectionTimeout: 1_000, requestTimeout: 3_000 };

export function tenantSecrets(stack: string, client = secretsClient()): TenantSecrets {
  return {
    async read(name) {
      const found = await unlessMissing(client.send(new GetSecretValueCommand({ SecretId: name })));
      return found?.SecretString;
    },

    async create({ name, value, tenantId, keyArn }) {
      const command = new CreateSecretCommand({
        Name: name,
        SecretString: value,
        KmsKeyId: keyArn,
        Tags: [
          { Key: "archway_stack", Value: stack },
          { Key: "tenant_id", Value: tenantId },
        ],
      });
      await client.send(command);
    },

    async put(name, value) {
      await client.send(new PutSecretValueCommand({ SecretId: name, SecretString: value }));
    },

    async remove(name) {
      const command = new DeleteSecretCommand({ SecretId: name, ForceDeleteWithoutRecovery: true });
      await unlessMissing(client.send(command));
    },
  };
}

function secretsClient(): SecretsManagerClient {
  return new SecretsManagerClient({ requestHandler: { ...timeouts, ...agents(), throwOnRequestTimeout: true } });
}

async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}
