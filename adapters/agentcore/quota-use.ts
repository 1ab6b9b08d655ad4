// Counts what the account has at AgentCore, whoever made it.
import {
  type BedrockAgentCoreControlClient,
  paginateListAgentRuntimes,
  paginateListApiKeyCredentialProviders,
  paginateListGateways,
} from "@aws-sdk/client-bedrock-agentcore-control";
import type { AccountQuotas } from "../../domain/marketplace/account-quotas.ts";
import { agentCoreClient } from "./client.ts";

const page = { maxResults: 100 };

export function agentCoreUse(
  client: BedrockAgentCoreControlClient = agentCoreClient(),
): () => Promise<Omit<AccountQuotas, "app_clients">> {
  return async () => ({
    api_key_providers: await counted(
      paginateListApiKeyCredentialProviders({ client }, page),
      ({ credentialProviders }) => credentialProviders,
    ),
    gateways: await counted(paginateListGateways({ client }, page), ({ items }) => items),
    runtimes: await counted(paginateListAgentRuntimes({ client }, page), ({ agentRuntimes }) => agentRuntimes),
  });
}

async function counted<Page>(
  pages: AsyncIterable<Page>,
  itemsOf: (page: Page) => readonly unknown[] | undefined,
): Promise<number> {
  let count = 0;
  for await (const page of pages) count += itemsOf(page)?.length ?? 0;
  return count;
}
