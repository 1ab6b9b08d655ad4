import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { credentialProviders } from "../../../adapters/agentcore/credential-providers.ts";
import { agentCoreEndpoint } from "../../support/mcp/agentcore-endpoint.ts";

let at: Awaited<ReturnType<typeof agentCoreEndpoint>>;
beforeEach(async () => {
  at = await agentCoreEndpoint();
});
afterEach(() => at.close());

const secret = { name: "arn:aws:secretsmanager:eu-central-1:000000000000:secret:t1/pets-AbCdEf", member: "api_key" };
const provider = { name: "pets-1", tenantId: "t1", secret };

test("a credential provider points to the tenant's own secret, is tagged, and is created once", async () => {
  const providers = credentialProviders("dev", at.client);
  const arn = await providers.ensure(provider);
  expect(await providers.ensure(provider)).toBe(arn);
  expect(at.agentcore.list().apiKeyCredentialProviders).toMatchObject([
    { name: "pets-1", tags: { archway_stack: "dev", tenant_id: "t1" } },
  ]);
  expect(JSON.stringify(at.agentcore.list())).not.toContain("value");
});

test("a credential provider is created once even if the answer was lost", async () => {
  const operation = "CreateApiKeyCredentialProvider";
  at.faults.put([{ service: "bedrock-agentcore", operation, when: "after", kind: "error", times: 9 }]);
  await expect(credentialProviders("dev", at.client).ensure(provider)).rejects.toThrow();
  at.faults.clear();
  await credentialProviders("dev", at.client).ensure(provider);
  expect(at.agentcore.list().apiKeyCredentialProviders).toHaveLength(1);
});

test("removing a credential provider twice is no error, and an account at its quota is reported", async () => {
  const providers = credentialProviders("dev", at.client);
  await providers.ensure(provider);
  await providers.remove("pets-1");
  await providers.remove("pets-1");
  expect(at.agentcore.list().apiKeyCredentialProviders).toEqual([]);
  at.agentcore.configure({ quotas: { apiKeyCredentialProviders: 0 } });
  await expect(providers.ensure(provider)).rejects.toMatchObject({ code: "platform_full" });
});
