import { CreateKeyCommand, KMSClient, ScheduleKeyDeletionCommand } from "@aws-sdk/client-kms";
import {
  CreateSecretCommand,
  DeleteSecretCommand,
  DescribeSecretCommand,
  GetSecretValueCommand,
  ListSecretsCommand,
  PutSecretValueCommand,
  RestoreSecretCommand,
  SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { Kms } from "../../kms/kms.ts";
import type { Secrets } from "../../secrets-manager/secrets.ts";
import { SecretsManager } from "../../secrets-manager/secrets-manager.ts";
import { Store } from "../../store.ts";
import { clientOptions, type RunningEndpoint, startEndpoint } from "../support/aws-endpoint.ts";
import { allow, aPrincipal, aRole, document, resources, roleArn } from "../support/declared-iam.ts";

const secretsOfTenants = "arn:aws:secretsmanager:eu-central-1:000000000000:secret:archway/*";

let store: Store;
let endpoint: RunningEndpoint;
let secrets: Secrets;
let KmsKeyId: string;
const clients: { destroy(): void }[] = [];

beforeEach(async () => {
  store = new Store(":memory:");
  let kms: Kms;
  endpoint = await startEndpoint({
    resources: resources(
      aRole("admin", [allow(["kms:*", "secretsmanager:*"], "*")]),
      aRole("tenant-keys", [allow(["secretsmanager:*"], secretsOfTenants)]),
      aRole("gateway", [allow(["secretsmanager:GetSecretValue"], secretsOfTenants)]),
      aRole("probe", [allow(["secretsmanager:GetSecretValue"], secretsOfTenants)]),
    ),
    services: ({ clock }) => {
      kms = new Kms({ store, clock });
      const service = new SecretsManager({ store, clock, kms });
      secrets = service.secrets;
      return [kms, service];
    },
    policyOf: (arn) => kms.policyOf(arn),
  });
  const { KeyMetadata } = await keysClient().send(new CreateKeyCommand({ Policy: keyPolicy }));
  KmsKeyId = KeyMetadata?.KeyId ?? "";
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await endpoint.close();
  store.close();
});

/** Writing and reading go through Secrets Manager alone, and the gateway's role reads only. */
const keyPolicy = document(
  { ...allow("kms:*", "*"), Principal: { AWS: roleArn("admin") } },
  {
    ...allow(["kms:GenerateDataKey", "kms:Decrypt"], "*"),
    Principal: { AWS: roleArn("tenant-keys") },
    Condition: { StringEquals: { "kms:ViaService": "secretsmanager.eu-central-1.amazonaws.com" } },
  },
  {
    ...allow("kms:Decrypt", "*"),
    Principal: { AWS: roleArn("gateway") },
    Condition: {
      StringEquals: { "kms:ViaService": "secretsmanager.eu-central-1.amazonaws.com" },
      StringLike: { "kms:EncryptionContext:SecretARN": secretsOfTenants },
    },
  },
);

function keysClient(): KMSClient {
  return kept(new KMSClient(clientOptions(endpoint.url, endpoint.keysOf(aPrincipal("admin")))));
}

function as(role: string): SecretsManagerClient {
  return kept(new SecretsManagerClient(clientOptions(endpoint.url, endpoint.keysOf(aPrincipal(role)))));
}

function kept<T extends { destroy(): void }>(client: T): T {
  clients.push(client);
  return client;
}

const create = (more: object = {}) =>
  as("tenant-keys").send(
    new CreateSecretCommand({ Name: "archway/t1/weather", SecretString: "first", KmsKeyId, ...more }),
  );
const read = (role: string, SecretId = "archway/t1/weather") => as(role).send(new GetSecretValueCommand({ SecretId }));

describe("a secret under a key", () => {
  test("a secret encrypted with a key can be read by callers whom the key's policy allows through Secrets Manager", async () => {
    const { ARN } = await create();
    expect(ARN).toMatch(/:secret:archway\/t1\/weather-[A-Za-z0-9]{6}$/);
    expect((await read("gateway")).SecretString).toBe("first");
    await expect(read("probe")).rejects.toMatchObject({ name: "AccessDeniedException" });
    expect(JSON.stringify(store.collection("secret").all())).not.toContain("first");
  });

  test("a secret encrypted with a key that waits for its deletion cannot be read", async () => {
    await create();
    await keysClient().send(new ScheduleKeyDeletionCommand({ KeyId: KmsKeyId, PendingWindowInDays: 7 }));
    await expect(read("gateway")).rejects.toMatchObject({ name: "DecryptionFailure" });
  });

  test("a secret cannot be created with an unknown key", async () => {
    await expect(create({ KmsKeyId: "00000000-0000-0000-0000-000000000000" })).rejects.toThrow(/does not exist/);
    expect(secrets.all()).toEqual([]);
  });
});

describe("a secret", () => {
  test("a secret in Secrets Manager is created once for a request token, and the token is refused with another value", async () => {
    const ClientRequestToken = "t".repeat(32);
    const { ARN } = await create({ ClientRequestToken });
    expect((await create({ ClientRequestToken })).ARN).toBe(ARN);
    await expect(create({ ClientRequestToken, SecretString: "x" })).rejects.toMatchObject({
      name: "ResourceExistsException",
    });
    await expect(create()).rejects.toMatchObject({ name: "ResourceExistsException" });
  });

  test("a secret in Secrets Manager keeps its previous value as AWSPREVIOUS", async () => {
    const { ARN } = await create({ Tags: [{ Key: "tenant_id", Value: "t1" }] });
    await as("tenant-keys").send(new PutSecretValueCommand({ SecretId: ARN, SecretString: "second" }));
    const previous = new GetSecretValueCommand({ SecretId: ARN, VersionStage: "AWSPREVIOUS" });
    expect((await as("gateway").send(previous)).SecretString).toBe("first");
    expect((await read("gateway")).SecretString).toBe("second");
    const { SecretList } = await as("admin").send(
      new ListSecretsCommand({ Filters: [{ Key: "name", Values: ["archway/t1/"] }] }),
    );
    expect(SecretList).toMatchObject([{ ARN, Tags: [{ Key: "tenant_id", Value: "t1" }] }]);
  });

  test("a secret in Secrets Manager can be restored before its deletion takes place, and its name is reserved until then, unless the deletion is forced", async () => {
    const { ARN: SecretId } = await create();
    const remove = (more: object) => as("tenant-keys").send(new DeleteSecretCommand({ SecretId, ...more }));
    await remove({ RecoveryWindowInDays: 7 });
    await expect(read("gateway")).rejects.toMatchObject({ name: "InvalidRequestException" });
    await expect(create()).rejects.toMatchObject({ name: "InvalidRequestException" });
    expect((await as("admin").send(new DescribeSecretCommand({ SecretId }))).DeletedDate).toBeInstanceOf(Date);
    await as("tenant-keys").send(new RestoreSecretCommand({ SecretId }));
    expect((await read("gateway")).SecretString).toBe("first");
    await remove({ ForceDeleteWithoutRecovery: true });
    await expect(read("gateway")).rejects.toMatchObject({ name: "ResourceNotFoundException" });
    expect((await create()).ARN).not.toBe(SecretId);
  });

  test("a secret in Secrets Manager is gone when the days before its deletion are over", async () => {
    await create();
    await as("tenant-keys").send(new DeleteSecretCommand({ SecretId: "archway/t1/weather", RecoveryWindowInDays: 7 }));
    endpoint.clock.advance(7 * 86_400_000);
    expect(secrets.all()).toEqual([]);
    await expect(create()).resolves.toMatchObject({ Name: "archway/t1/weather" });
  });
});
