// The API-key credential providers at AgentCore. Each points to a secret of the tenant's own, so that no value passes through AgentCore's
// own store.
import {
  type BedrockAgentCoreControlClient,
  CreateApiKeyCredentialProviderCommand,
  DeleteApiKeyCredentialProviderCommand,
  GetApiKeyCredentialProviderCommand,
} from "@aws-sdk/client-bedrock-agentcore-control";
import type { CredentialProviders } from "../../domain/integrations/agentcore-targets.ts";
import { agentCoreClient, refusing, tagsOf, unless } from "./client.ts";

export function credentialProviders(
  stack: string,
  client: BedrockAgentCoreControlClient = agentCoreClient(),
): CredentialProviders {
  return {
    async ensure({ name, tenantId, secret }) {
      const found = await unless(
        "ResourceNotFoundException",
        client.send(new GetApiKeyCredentialProviderCommand({ name })),
      );
      const made =
        found ??
        (await refusing(
          client.send(
            new CreateApiKeyCredentialProviderCommand({
              name,
              apiKeySecretSource: "EXTERNAL",
              apiKeySecretConfig: { secretId: secret.name, jsonKey: secret.member },
              tags: tagsOf(stack, tenantId),
            }),
          ),
        ));
      if (made.credentialProviderArn === undefined) throw new Error("A credential provider has no ARN");
      return made.credentialProviderArn;
    },

    async remove(name) {
      await unless("ResourceNotFoundException", client.send(new DeleteApiKeyCredentialProviderCommand({ name })));
    },
  };
}
