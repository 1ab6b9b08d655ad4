import { CreateKeyCommand, KMSClient } from "@aws-sdk/client-kms";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { keyedSealer, secretOpener } from "../../../adapters/kms/skill-secrets.ts";
import { defaultKeyPolicy } from "../../../emulators/iam/iam.ts";
import { Kms } from "../../../emulators/kms/kms.ts";
import { Store } from "../../../emulators/store.ts";
import { clientOptions, type RunningEndpoint, startEndpoint } from "../../../emulators/test/support/aws-endpoint.ts";
import { allow, aPrincipal, aRole, resources } from "../../../emulators/test/support/declared-iam.ts";

let store: Store;
let kms: Kms;
let endpoint: RunningEndpoint;
let client: KMSClient;
let keyArn: string;
beforeAll(async () => {
  store = new Store(":memory:");
  endpoint = await startEndpoint({
    resources: resources(aRole("all", [allow(["kms:*"], "*")])),
    services: ({ clock }) => {
      kms = new Kms({ store, clock });
      return [kms];
    },
    policyOf: (arn) => kms.policyOf(arn),
  });
  client = new KMSClient(clientOptions(endpoint.url, endpoint.keysOf(aPrincipal("all"))));
  const { KeyMetadata } = await client.send(new CreateKeyCommand({ Policy: defaultKeyPolicy }));
  keyArn = String(KeyMetadata?.Arn);
});
afterAll(async () => {
  client.destroy();
  await endpoint.close();
  store.close();
});

const secret = { tenantId: "t1", name: "JIRA" };

test("a secret of 8 KB is decrypted unchanged, and encrypting it twice gives different texts", async () => {
  const value = "ä\n".repeat(2_730);
  const [one, other] = [
    await keyedSealer(client).seal(keyArn, secret, value),
    await keyedSealer(client).seal(keyArn, secret, value),
  ];
  expect(one).not.toBe(other);
  expect(one).toMatch(/^v1\.[\w-]+\.[\w-]+$/);
  expect(await secretOpener(client).open(secret, one)).toBe(value);
  expect(await secretOpener(client).open(secret, other)).toBe(value);
});

test("a secret can be decrypted only for its own name and workspace, and not if a bit was changed", async () => {
  const sealed = await keyedSealer(client).seal(keyArn, secret, "a token");
  const open = (of: typeof secret, text: string) => secretOpener(client).open(of, text);
  await expect(open({ ...secret, name: "OTHER" }, sealed)).rejects.toThrow();
  await expect(open({ ...secret, tenantId: "t2" }, sealed)).rejects.toThrow();
  const last = sealed.at(-2) === "A" ? "B" : "A";
  await expect(open(secret, sealed.slice(0, -2) + last + sealed.at(-1))).rejects.toThrow();
  await expect(open(secret, sealed.replace("v1.", "v2."))).rejects.toThrow("unknown form");
  // A tag that is cut off is none.
  const [form, key, box = ""] = sealed.split(".");
  const short = Buffer.from(box, "base64url").subarray(0, 20).toString("base64url");
  await expect(open(secret, [form, key, short].join("."))).rejects.toThrow();
});
