import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { paymentSecret, webhookSecrets } from "../../../adapters/secrets/payment-secret.ts";
import type { SecretsManager } from "../../../emulators/secrets-manager/secrets-manager.ts";
import { serveAws } from "../../../emulators/test/support/aws-server.ts";
import { secretsManager } from "../../../emulators/test/support/secrets-manager.ts";

let secrets: SecretsManager;
let server: Awaited<ReturnType<typeof serveAws>>;
beforeEach(async () => {
  secrets = secretsManager();
  server = await serveAws(secrets);
});
afterEach(() => server.close());

function client() {
  const credentials = { accessKeyId: "a", secretAccessKey: "b" };
  return new SecretsManagerClient({ endpoint: server.url, region: "eu-central-1", credentials, maxAttempts: 1 });
}
const storeOf = (name: string) => webhookSecrets(name, client());

test("a stored webhook secret is read with its destination", async () => {
  expect(await storeOf("webhook").get()).toBeUndefined();
  const secret = { destinationId: "ed_1", signingSecret: "whsec_1" };
  await storeOf("webhook").put(secret);
  expect(await storeOf("webhook").get()).toEqual(secret);
});

test("a webhook secret that somebody else stored is ignored", async () => {
  for (const text of ["whsec_by_hand", "{}"]) {
    secrets.put("webhook", text);
    expect(await storeOf("webhook").get()).toBeUndefined();
  }
});

test("writing a secret that was not declared is refused", async () => {
  await expect(storeOf("other").put({ destinationId: "ed_1", signingSecret: "whsec_1" })).rejects.toThrow("can't find");
});

test("storing the webhook's secret leaves the account's key unchanged", async () => {
  secrets.put("webhook", JSON.stringify({ secret_key: "sk_1" }));
  await storeOf("webhook").put({ destinationId: "ed_1", signingSecret: "whsec_1" });
  const read = paymentSecret("webhook", () => 0, client());
  expect(await read()).toEqual({ secretKey: "sk_1", webhookSecret: "whsec_1" });
});

test("the account's secret is cached for five minutes, and for longer while it cannot be read", async () => {
  let now = 0;
  secrets.put("webhook", JSON.stringify({ secret_key: "sk_1" }));
  const read = paymentSecret("webhook", () => now, client());
  expect(await read()).toEqual({ secretKey: "sk_1", webhookSecret: undefined });
  secrets.put("webhook", JSON.stringify({ secret_key: "sk_2" }));
  now = 299_999;
  expect((await read()).secretKey).toBe("sk_1");
  now = 300_000;
  expect((await read()).secretKey).toBe("sk_2");
  secrets.put("webhook", "gibberish");
  now = 900_000;
  expect((await read()).secretKey).toBe("sk_2");
});

test("a secret that cannot be read is a refusal, and a malformed secret is an error that does not quote it", async () => {
  await expect(paymentSecret("other", () => 0, client())()).rejects.toMatchObject({ code: "payments_unavailable" });
  secrets.put("webhook", '{"secret_key": 12345678}');
  const failure = await paymentSecret("webhook", () => 0, client())().catch(String);
  expect(failure).toContain("no JSON with a secret_key");
  expect(failure).not.toContain("1234");
});
