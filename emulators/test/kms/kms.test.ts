import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { Keys } from "../../aws/credentials.ts";
import { Clock } from "../../clock.ts";
import { Kms } from "../../kms/kms.ts";
import { Store } from "../../store.ts";
import { type RunningEndpoint, signedCall, startEndpoint } from "../support/aws-endpoint.ts";
import { allow, aPrincipal, aRole, document, resources, roleArn } from "../support/declared-iam.ts";

const anyKey = "arn:aws:kms:eu-central-1:000000000000:key/*";
const ownKeys = { StringEquals: { "aws:ResourceTag/tenant_id": `\${aws:PrincipalTag/tenant_id}` } };
const ownContext = { StringEquals: { "kms:EncryptionContext:tenant_id": `\${aws:PrincipalTag/tenant_id}` } };
const taggedRequest = { StringLike: { "aws:RequestTag/tenant_id": "*" } };

let store: Store;
let kms: Kms;
let endpoint: RunningEndpoint;
let admin: Keys;

beforeEach(async () => {
  store = new Store(":memory:");
  endpoint = await startEndpoint({
    resources: resources(
      aRole("admin", [allow("kms:*", "*")]),
      aRole("provision", [allow("kms:CreateKey", "*", { Condition: taggedRequest }), allow("kms:TagResource", anyKey)]),
      aRole("maker", [
        allow(["kms:CreateKey", "kms:TagResource"], "*", { Condition: taggedRequest }),
        allow("kms:PutKeyPolicy", anyKey, { Condition: { StringEquals: { "aws:ResourceTag/tenant_id": "one" } } }),
      ]),
      aRole("patient", [
        allow("kms:ScheduleKeyDeletion", anyKey, {
          Condition: { NumericEquals: { "kms:ScheduleKeyDeletionPendingWindowInDays": "30" } },
        }),
      ]),
      aRole("untagging", [allow("kms:CreateKey", "*")]),
      aRole("user", [
        allow("kms:DescribeKey", anyKey, { Condition: ownKeys }),
        allow(["kms:GenerateDataKey", "kms:Decrypt"], anyKey, { Condition: ownContext }),
      ]),
    ),
    services: ({ clock }) => {
      kms = new Kms({ store, clock });
      return [kms];
    },
    policyOf: (arn) => kms.policyOf(arn),
  });
  admin = endpoint.keysOf(aPrincipal("admin"));
});

afterEach(async () => {
  await endpoint.close();
  store.close();
});

async function call(operation: string, body: object, keys = admin) {
  const answer = await signedCall(endpoint.url, keys, { service: "kms", target: `TrentService.${operation}`, body });
  return answer.body as Record<string, string & Record<string, unknown>>;
}

async function createKey(input: object = {}): Promise<{ id: string; arn: string }> {
  const { KeyMetadata } = await call("CreateKey", input);
  return { id: String(KeyMetadata?.KeyId), arn: String(KeyMetadata?.Arn) };
}

const tagged = (tenant: string) => ({ Tags: [{ TagKey: "tenant_id", TagValue: tenant }] });
const base64 = (text: string) => Buffer.from(text).toString("base64");
const fails = (type: string, message: RegExp = /./) => ({ __type: type, message: expect.stringMatching(message) });

describe("keys", () => {
  test("a policy can limit the length of the notice of a key's deletion", async () => {
    const { id } = await createKey(tagged("t1"));
    const patient = endpoint.keysOf(aPrincipal("patient"));
    const schedule = (PendingWindowInDays: number) =>
      call("ScheduleKeyDeletion", { KeyId: id, PendingWindowInDays }, patient);
    expect(await schedule(7)).toEqual(fails("AccessDeniedException"));
    expect(await schedule(30)).toMatchObject({ KeyState: "PendingDeletion" });
  });

  test("a new key is enabled, and can be described", async () => {
    const { id, arn } = await createKey({ Description: "tenant one" });
    expect(arn).toBe(`arn:aws:kms:eu-central-1:000000000000:key/${id}`);
    const { KeyMetadata } = await call("DescribeKey", { KeyId: id });
    expect(KeyMetadata).toMatchObject({ Arn: arn, Description: "tenant one", Enabled: true, KeyState: "Enabled" });
    expect(Math.abs(Number(KeyMetadata?.CreationDate) - endpoint.clock.now() / 1000)).toBeLessThan(5);
  });

  test("a disabled key encrypts nothing", async () => {
    const { id } = await createKey();
    await call("DisableKey", { KeyId: id });
    expect((await call("DescribeKey", { KeyId: id })).KeyMetadata).toMatchObject({
      Enabled: false,
      KeyState: "Disabled",
    });
    expect(await call("Encrypt", { KeyId: id, Plaintext: base64("a") })).toEqual(
      fails("DisabledException", /is disabled/),
    );
  });

  test("a key whose deletion is scheduled refuses every call, and is deleted on its day", async () => {
    const { id, arn } = await createKey();
    await call("CreateAlias", { AliasName: "alias/one", TargetKeyId: id });
    const scheduled = await call("ScheduleKeyDeletion", { KeyId: id, PendingWindowInDays: 7 });
    expect(scheduled).toMatchObject({ KeyId: arn, KeyState: "PendingDeletion", PendingWindowInDays: 7 });
    const pending = fails("KMSInvalidStateException", /is pending deletion/);
    expect(await call("DisableKey", { KeyId: id })).toEqual(pending);
    expect(await call("ScheduleKeyDeletion", { KeyId: id })).toEqual(pending);
    expect(await call("GenerateDataKey", { KeyId: id, KeySpec: "AES_256" })).toEqual(pending);
    endpoint.clock.advance(7 * 86_400_000);
    expect(await call("DescribeKey", { KeyId: id })).toEqual(fails("NotFoundException", /does not exist/));
    expect(kms.aliases()).toEqual({});
  });

  test("keys of KMS survive a restart", async () => {
    const { arn } = await createKey();
    expect(new Kms({ store, clock: new Clock() }).policyOf(arn)).toContain("kms:*");
  });
});

describe("aliases", () => {
  test("an alias can be used wherever a key is named", async () => {
    const { id, arn } = await createKey();
    await call("CreateAlias", { AliasName: "alias/tenant/one", TargetKeyId: arn });
    const aliasArn = "arn:aws:kms:eu-central-1:000000000000:alias/tenant/one";
    for (const KeyId of [id, arn, "alias/tenant/one", aliasArn]) {
      expect((await call("DescribeKey", { KeyId })).KeyMetadata).toMatchObject({ KeyId: id });
    }
    expect(kms.aliases()).toEqual({ "alias/tenant/one": arn });
  });

  test("aliases of keys are unique, and a deleted alias is gone", async () => {
    const { id } = await createKey();
    const alias = { AliasName: "alias/one" };
    await call("CreateAlias", { ...alias, TargetKeyId: id });
    expect(await call("CreateAlias", { ...alias, TargetKeyId: id })).toEqual(fails("AlreadyExistsException"));
    await call("DeleteAlias", alias);
    expect(await call("DeleteAlias", alias)).toEqual(fails("NotFoundException", /^Alias arn:.* is not found/));
  });
});

describe("encryption", () => {
  test("Decrypt opens what Encrypt returned, with the same context in any order", async () => {
    const { id, arn } = await createKey();
    const sealed = await call("Encrypt", {
      KeyId: id,
      Plaintext: base64("secret"),
      EncryptionContext: { a: "1", b: "2" },
    });
    const opened = await call("Decrypt", {
      CiphertextBlob: sealed.CiphertextBlob,
      EncryptionContext: { b: "2", a: "1" },
    });
    expect(opened).toEqual({ KeyId: arn, Plaintext: base64("secret"), EncryptionAlgorithm: "SYMMETRIC_DEFAULT" });
  });

  test("another context, blob or key decrypts nothing", async () => {
    const [{ id }, other] = [await createKey(), await createKey()];
    const sealed = await call("Encrypt", {
      KeyId: id,
      Plaintext: base64("secret"),
      EncryptionContext: { tenant_id: "one" },
    });
    const { CiphertextBlob } = sealed;
    const invalid = fails("InvalidCiphertextException");
    expect(await call("Decrypt", { CiphertextBlob, EncryptionContext: { tenant_id: "two" } })).toEqual(invalid);
    expect(await call("Decrypt", { CiphertextBlob })).toEqual(invalid);
    expect(await call("Decrypt", { CiphertextBlob: base64("nonsense") })).toEqual(invalid);
    const wrongKey = { CiphertextBlob, EncryptionContext: { tenant_id: "one" }, KeyId: other.id };
    expect(await call("Decrypt", wrongKey)).toEqual(fails("IncorrectKeyException"));
  });

  test("a data key is returned in plain text and encrypted", async () => {
    const { id } = await createKey();
    const { Plaintext, CiphertextBlob } = await call("GenerateDataKey", { KeyId: id, KeySpec: "AES_256" });
    expect(Buffer.from(String(Plaintext), "base64")).toHaveLength(32);
    expect((await call("Decrypt", { CiphertextBlob })).Plaintext).toBe(Plaintext);
  });

  test("at most 4096 bytes are encrypted at once", async () => {
    const { id } = await createKey();
    const tooMuch = { KeyId: id, Plaintext: Buffer.alloc(4097).toString("base64") };
    expect(await call("Encrypt", tooMuch)).toEqual(fails("ValidationException", /4096/));
  });
});

describe("rights", () => {
  const as = (role: string, tenant?: string) =>
    endpoint.keysOf(aPrincipal(role, { sessionTags: tenant === undefined ? {} : { tenant_id: tenant } }));
  const denied = (action: string) =>
    fails("AccessDeniedException", new RegExp(`not authorized to perform: kms:${action} `));

  test("rights for CreateKey can depend on the tags of the request, and tagging needs a right of its own", async () => {
    expect(await call("CreateKey", tagged("one"), as("provision"))).toHaveProperty("KeyMetadata");
    expect(await call("CreateKey", {}, as("provision"))).toEqual(denied("CreateKey"));
    expect(await call("CreateKey", tagged("one"), as("untagging"))).toEqual(denied("TagResource"));
  });

  test("CreateKey with a policy needs the right to set policies, which can depend on the tags of the request", async () => {
    const Policy = JSON.stringify({
      Version: "2012-10-17",
      Statement: [{ Effect: "Allow", Principal: "*", Action: "kms:*", Resource: "*" }],
    });
    const asked = { ...tagged("one"), Policy };
    expect(await call("CreateKey", asked, as("provision"))).toEqual(denied("PutKeyPolicy"));
    expect(await call("CreateKey", asked, as("maker"))).toHaveProperty("KeyMetadata");
  });

  test("rights on a key can depend on its tags", async () => {
    const { id } = await createKey(tagged("one"));
    expect(await call("DescribeKey", { KeyId: id }, as("user", "one"))).toHaveProperty("KeyMetadata");
    expect(await call("DescribeKey", { KeyId: id }, as("user", "two"))).toEqual(denied("DescribeKey"));
  });

  test("rights on a key can depend on the encryption context", async () => {
    const { id } = await createKey();
    const dataKey = { KeyId: id, KeySpec: "AES_256", EncryptionContext: { tenant_id: "one" } };
    const { CiphertextBlob } = await call("GenerateDataKey", dataKey, as("user", "one"));
    const decrypt = { CiphertextBlob, EncryptionContext: { tenant_id: "one" } };
    expect(await call("Decrypt", decrypt, as("user", "one"))).toHaveProperty("Plaintext");
    expect(await call("Decrypt", decrypt, as("user", "two"))).toEqual(denied("Decrypt"));
    expect(await call("GenerateDataKey", dataKey, as("user", "two"))).toEqual(denied("GenerateDataKey"));
  });

  test("an alias needs the right on the alias and on its key", async () => {
    const { id } = await createKey();
    await call("CreateAlias", { AliasName: "alias/one", TargetKeyId: id });
    expect(
      endpoint.calls
        .all()
        .at(-1)
        ?.decisions.map(({ resource }) => resource),
    ).toEqual(["arn:aws:kms:eu-central-1:000000000000:alias/one", `arn:aws:kms:eu-central-1:000000000000:key/${id}`]);
  });

  test("a key's own policy is stored and enforced", async () => {
    const { id } = await createKey();
    const Policy = document({ Effect: "Allow", Principal: { AWS: roleArn("admin") }, Action: "kms:*", Resource: "*" });
    await call("PutKeyPolicy", { KeyId: id, Policy });
    const dataKey = { KeyId: id, KeySpec: "AES_256", EncryptionContext: { tenant_id: "one" } };
    const refused = await call("GenerateDataKey", dataKey, as("user", "one"));
    expect(refused.message).toMatch(/because no resource-based policy allows the kms:GenerateDataKey action$/);
  });
});

describe("a mistake is named:", () => {
  test.each<[string, string, object, ReturnType<typeof fails>]>([
    ["an unknown operation", "ReplicateKey", {}, fails("UnknownOperationException", /ReplicateKey/)],
    ["an unknown key", "DescribeKey", { KeyId: "nope" }, fails("NotFoundException", /key\/nope' does not exist/)],
    [
      "a key of another region",
      "DescribeKey",
      { KeyId: "arn:aws:kms:us-east-1:000000000000:key/x" },
      fails("NotFoundException", /made in eu-central-1/),
    ],
    ["a missing key", "DescribeKey", {}, fails("ValidationException", /KeyId/)],
    [
      "an input that is not emulated",
      "CreateKey",
      { MultiRegion: true },
      fails("ValidationException", /MultiRegion: not emulated/),
    ],
    ["another kind of key", "CreateKey", { KeySpec: "RSA_2048" }, fails("ValidationException", /KeySpec/)],
    [
      "a policy that cannot be read",
      "CreateKey",
      { Policy: "{}" },
      fails("MalformedPolicyDocumentException", /key policy/),
    ],
    ["AWS's own aliases", "DeleteAlias", { AliasName: "alias/aws/s3" }, fails("ValidationException", /AliasName/)],
  ])("%s", async (_, operation, input, failure) => {
    expect(await call(operation, input)).toEqual(failure);
  });

  test("a too short wait before a key's deletion is refused", async () => {
    const { id } = await createKey();
    const answer = await call("ScheduleKeyDeletion", { KeyId: id, PendingWindowInDays: 6 });
    expect(answer).toEqual(fails("ValidationException", /PendingWindowInDays/));
  });
});
