import {
  CognitoIdentityProviderClient,
  DescribeUserPoolClientCommand,
} from "@aws-sdk/client-cognito-identity-provider";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { connectorClients } from "../../../adapters/user-pool/connector-clients.ts";
import { declaredServer, poolArn, poolId } from "../../../emulators/test/cognito/declarations.ts";
import { start } from "../../../emulators/test/cognito/harness.ts";
import { clientOptions, type RunningEndpoint, startEndpoint } from "../../../emulators/test/support/aws-endpoint.ts";
import { allow, aPrincipal, aRole, resources } from "../../../emulators/test/support/declared-iam.ts";

let cognito: Awaited<ReturnType<typeof start>>;
let endpoint: RunningEndpoint;
let patient: CognitoIdentityProviderClient;
let once: CognitoIdentityProviderClient;

beforeEach(async () => {
  const scopes = [{ scopeName: "mcp:connect", scopeDescription: "Connect" }];
  cognito = await start({ resourceServers: [{ ...declaredServer, scopes: [...declaredServer.scopes, ...scopes] }] });
  endpoint = await startEndpoint({
    resources: resources(aRole("agentcore", [allow("cognito-idp:*", poolArn)])),
    services: () => [cognito.provider],
  });
  const options = clientOptions(endpoint.url, endpoint.keysOf(aPrincipal("agentcore")));
  patient = new CognitoIdentityProviderClient({ ...options, maxAttempts: 3 });
  once = new CognitoIdentityProviderClient({ ...options, maxAttempts: 1 });
});
afterEach(async () => {
  patient.destroy();
  once.destroy();
  await endpoint.close();
  await cognito[Symbol.asyncDispose]();
});

const clients = () =>
  connectorClients(
    { userPoolId: poolId, scopePrefix: "platform", callbackUrl: "https://a.example/cb", identityProviders: [] },
    patient,
    once,
  );
const secret = (letter: string) => letter.repeat(48);
const fails = (operation: string, when: "before" | "after") =>
  endpoint.faults.put([{ service: "cognito-idp", operation, when, kind: "error", times: 1 }]);

test("a connector's client with a given secret is found by its name, gets another secret and loses the first", async () => {
  const id = await clients().create({ name: "mcp-t1", secret: secret("a") });
  expect([await clients().find("mcp-t1"), await clients().find("mcp-t2")]).toEqual([id, undefined]);
  const [first] = await clients().secrets(id);
  const second = await clients().addSecret(id, secret("b"));
  expect((await clients().secrets(id)).map(({ secretId }) => secretId)).toEqual([first?.secretId, second]);
  await clients().removeSecret(id, first?.secretId ?? "");
  expect((await clients().secrets(id)).map(({ secretId }) => secretId)).toEqual([second]);
});

test("a public client of a connector has no secret, and removing a client twice is no error", async () => {
  const id = await clients().create({ name: "mcp-t1-public" });
  expect(await clients().secrets(id)).toEqual([]);
  await clients().remove(id);
  await clients().remove(id);
  expect(await clients().find("mcp-t1-public")).toBeUndefined();
});

test("a lost answer about a connector's client is not repeated: there is one client, and one further secret", async () => {
  fails("CreateUserPoolClient", "after");
  await expect(clients().create({ name: "mcp-t1", secret: secret("a") })).rejects.toMatchObject({
    code: "identity_unavailable",
  });
  const id = await clients().find("mcp-t1");
  await clients().remove(id ?? "");
  expect(await clients().find("mcp-t1")).toBeUndefined();
  const other = await clients().create({ name: "mcp-t2", secret: secret("a") });
  fails("AddUserPoolClientSecret", "after");
  await expect(clients().addSecret(other, secret("b"))).rejects.toMatchObject({ code: "identity_unavailable" });
  expect(await clients().secrets(other)).toHaveLength(2);
});

test("a call to the user pool that fails once is repeated, and one that keeps failing is reported", async () => {
  fails("ListUserPoolClients", "before");
  expect(await clients().find("mcp-t1")).toBeUndefined();
  endpoint.faults.put([
    { service: "cognito-idp", operation: "ListUserPoolClients", when: "before", kind: "error", times: 9 },
  ]);
  await expect(clients().find("mcp-t1")).rejects.toMatchObject({ code: "identity_unavailable" });
});

test("a client of an earlier deployment gets today's settings, and keeps its id and its secret", async () => {
  const before = connectorClients(
    { userPoolId: poolId, scopePrefix: "platform", callbackUrl: "https://before.example/cb", identityProviders: [] },
    patient,
    once,
  );
  const id = await before.create({ name: "mcp-t1", secret: secret("a") });
  const secrets = await before.secrets(id);
  await clients().renew(id, "mcp-t1");
  const described = await patient.send(new DescribeUserPoolClientCommand({ UserPoolId: poolId, ClientId: id }));
  expect(described.UserPoolClient).toMatchObject({ ClientName: "mcp-t1", CallbackURLs: ["https://a.example/cb"] });
  expect(await clients().secrets(id)).toEqual(secrets);
  await clients().renew("gone", "mcp-t2");
});
