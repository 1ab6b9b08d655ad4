import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { webhookSecrets } from "../../adapters/secrets.ts";
import type { SecretsManager } from "../../local/secrets-manager/secrets-manager.ts";
import { serveAws } from "../support/aws-server.ts";
import { secretsManager } from "../support/secrets-manager.ts";

let secrets: SecretsManager;
let server: Awaited<ReturnType<typeof serveAws>>;
beforeEach(async () => {
  secrets = secretsManager();
  server = await serveAws(secrets);
});
afterEach(() => server.close());

function storeOf(name: string) {
  const credentials = { accessKeyId: "a", secretAccessKey: "b" };
  return webhookSecrets(name, new SecretsManagerClient({ endpoint: server.url, region: "eu-central-1", credentials }));
}

test("what was put is there again, with the destination that it belongs to", async () => {
  expect(await storeOf("webhook").get()).toBeUndefined();
  const secret = { destinationId: "ed_1", signingSecret: "whsec_1" };
  await storeOf("webhook").put(secret);
  expect(await storeOf("webhook").get()).toEqual(secret);
});

test("what somebody else put there is none of ours", async () => {
  for (const text of ["whsec_by_hand", "{}"]) {
    secrets.put("webhook", text);
    expect(await storeOf("webhook").get()).toBeUndefined();
  }
});

test("a secret that was not declared cannot be put", async () => {
  await expect(storeOf("other").put({ destinationId: "ed_1", signingSecret: "whsec_1" })).rejects.toThrow("can't find");
});
