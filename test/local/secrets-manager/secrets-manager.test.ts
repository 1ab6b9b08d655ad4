import {
  DescribeSecretCommand,
  GetSecretValueCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { secret as secretType } from "../../../local/program/secrets-manager.ts";
import { SecretsManager } from "../../../local/secrets-manager/secrets-manager.ts";
import { Store } from "../../../local/store.ts";
import { clientOptions, type RunningEndpoint, region, startEndpoint } from "../../support/aws-endpoint.ts";
import { allow, aPrincipal, aRole, declared, resources } from "../../support/declared-iam.ts";

const { outputs } = secretType.compute("webhook", { name: "webhook" }, region, "000000000000");
const arn = outputs.arn as string;
const program = resources(
  [
    ...aRole("writer", [allow("secretsmanager:*", arn)]),
    ...aRole("reader", [allow("secretsmanager:GetSecretValue", arn)]),
  ],
  [declared(secretType.type, "webhook", {}, outputs)],
);

let store: Store;
let endpoint: RunningEndpoint;
beforeEach(async () => {
  store = new Store(":memory:");
  endpoint = await startEndpoint({
    resources: program,
    services: ({ clock }) => [new SecretsManager({ resources: program, store, clock })],
  });
});
afterEach(async () => {
  await endpoint.close();
  store.close();
});

const clientOf = (role: string) =>
  new SecretsManagerClient(clientOptions(endpoint.url, endpoint.keysOf(aPrincipal(role))));

test("the value that was last put is read by name and by ARN", async () => {
  for (const SecretString of ["one", "two"]) {
    await clientOf("writer").send(new PutSecretValueCommand({ SecretId: arn, SecretString }));
  }
  for (const SecretId of [arn, "webhook"]) {
    const { SecretString, ARN } = await clientOf("reader").send(new GetSecretValueCommand({ SecretId }));
    expect([SecretString, ARN]).toEqual(["two", arn]);
  }
  expect((await clientOf("writer").send(new DescribeSecretCommand({ SecretId: arn }))).Name).toBe("webhook");
});

test("a secret without a value, and one that is not declared, are not found", async () => {
  for (const SecretId of [arn, "other"]) {
    await expect(clientOf("writer").send(new GetSecretValueCommand({ SecretId }))).rejects.toMatchObject({
      name: SecretId === arn ? "ResourceNotFoundException" : "AccessDeniedException",
    });
  }
});

test("who may read may not write", async () => {
  await expect(
    clientOf("reader").send(new PutSecretValueCommand({ SecretId: arn, SecretString: "x" })),
  ).rejects.toMatchObject({ name: "AccessDeniedException" });
});
