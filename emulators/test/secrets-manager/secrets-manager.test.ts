import {
  GetSecretValueCommand,
  PutSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { SecretsManager } from "../../secrets-manager/secrets-manager.ts";
import { Store } from "../../store.ts";
import { clientOptions, type RunningEndpoint, startEndpoint } from "../support/aws-endpoint.ts";
import { allow, aPrincipal, aRole, resources } from "../support/declared-iam.ts";

const arnOf = (name: string) => `arn:aws:secretsmanager:eu-central-1:000000000000:secret:${name}-AbCdEf`;

let store: Store;
let secrets: SecretsManager;
let endpoint: RunningEndpoint;
const clients: SecretsManagerClient[] = [];
beforeEach(async () => {
  store = new Store(":memory:");
  endpoint = await startEndpoint({
    resources: resources(
      aRole("reader", [allow(["secretsmanager:GetSecretValue"], arnOf("one"))]),
      aRole("operator", [allow(["secretsmanager:*"], "*")]),
    ),
    services: ({ clock }) => {
      secrets = new SecretsManager({ store, clock });
      return [secrets];
    },
  });
  for (const name of ["one", "two"]) secrets.create(arnOf(name));
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await endpoint.close();
  store.close();
});

function clientOf(role: string): SecretsManagerClient {
  const client = new SecretsManagerClient(clientOptions(endpoint.url, endpoint.keysOf(aPrincipal(role))));
  clients.push(client);
  return client;
}
const read = (role: string, SecretId: string) => clientOf(role).send(new GetSecretValueCommand({ SecretId }));
const write = (role: string, SecretId: string, SecretString: string) =>
  clientOf(role).send(new PutSecretValueCommand({ SecretId, SecretString }));

test("a secret's value can be read by ARN and by name", async () => {
  await expect(read("operator", arnOf("one"))).rejects.toThrow(ResourceNotFoundException);
  const { VersionId, Name } = await write("operator", "one", "first");
  expect(Name).toBe("one");
  expect(await read("operator", arnOf("one"))).toMatchObject({ SecretString: "first", VersionId, ARN: arnOf("one") });
  await write("operator", arnOf("one"), "second");
  expect((await read("operator", "one")).SecretString).toBe("second");
});

test("a secret that does not exist is not found", async () => {
  await expect(read("operator", "three")).rejects.toThrow(ResourceNotFoundException);
  await expect(write("operator", "three", "x")).rejects.toThrow(ResourceNotFoundException);
});

test("a role can read the secret that its policy names, and can write none", async () => {
  secrets.put(arnOf("one"), "first");
  secrets.put(arnOf("two"), "first");
  expect((await read("reader", arnOf("one"))).SecretString).toBe("first");
  await expect(read("reader", arnOf("two"))).rejects.toMatchObject({ name: "AccessDeniedException" });
  await expect(write("reader", arnOf("one"), "x")).rejects.toMatchObject({ name: "AccessDeniedException" });
});

test("declaring an existing secret keeps its value", () => {
  secrets.create(arnOf("one"), "given");
  expect(secrets.get(arnOf("one"))).toBeUndefined();
  secrets.create(arnOf("four"), "given");
  secrets.create(arnOf("four"), "again");
  expect(secrets.get(arnOf("four"))).toBe("given");
});
