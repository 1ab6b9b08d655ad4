import { CognitoIdentityProviderClient } from "@aws-sdk/client-cognito-identity-provider";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { poolAccounts } from "../../../adapters/user-pool/native-accounts.ts";
import { password, poolArn, poolId } from "../../../emulators/test/cognito/declarations.ts";
import { postToken, signInWithPkce, start } from "../../../emulators/test/cognito/harness.ts";
import { clientOptions, type RunningEndpoint, startEndpoint } from "../../../emulators/test/support/aws-endpoint.ts";
import { allow, aPrincipal, aRole, resources } from "../../../emulators/test/support/declared-iam.ts";

const ann = "ann@example.com";
const identity = { provider: "Google", subject: "123" };
const proved = { holdsAddress: true, hasSecondFactor: false };
const actions = ["AdminGetUser", "AdminLinkProviderForUser", "AdminUserGlobalSignOut"].map(
  (name) => `cognito-idp:${name}`,
);

let cognito: Awaited<ReturnType<typeof start>>;
let endpoint: RunningEndpoint;
let client: CognitoIdentityProviderClient;
beforeEach(async () => {
  cognito = await start();
  endpoint = await startEndpoint({
    resources: resources(aRole("triggers", [allow(actions, poolArn)])),
    services: () => [cognito.provider],
  });
  client = new CognitoIdentityProviderClient(clientOptions(endpoint.url, endpoint.keysOf(aPrincipal("triggers"))));
});
afterEach(async () => {
  client.destroy();
  await endpoint.close();
  await cognito[Symbol.asyncDispose]();
});

const accounts = () => poolAccounts(async () => client)(poolId);
const userOf = (Username: string) => cognito.call("AdminGetUser", { UserPoolId: poolId, Username });
async function identitiesOf(username: string) {
  const { UserAttributes } = await userOf(username);
  const found = UserAttributes.find(({ Name }: { Name: string }) => Name === "identities");
  return found ? JSON.parse(found.Value) : [];
}

describe("an account holds its address", () => {
  test("a confirmed account holds its address, in any case of letters", async () => {
    const { username } = await cognito.addUser(ann);
    expect(await accounts().byEmail("Ann@Example.com")).toEqual({
      username,
      holdsAddress: true,
      hasSecondFactor: false,
    });
  });

  test("an invited account holds its address before the first sign-in", async () => {
    const attributes = [{ Name: "email_verified", Value: "true" }];
    await cognito.call("AdminCreateUser", { UserPoolId: poolId, Username: ann, UserAttributes: attributes });
    expect(await accounts().byEmail(ann)).toMatchObject({ holdsAddress: true });
  });

  test("a sign-up does not hold its address before it is confirmed, nor if it is confirmed without proof of the address", async () => {
    await cognito.signUp(ann);
    expect(await accounts().byEmail(ann)).toMatchObject({ holdsAddress: false });
    await cognito.call("AdminSetUserPassword", {
      UserPoolId: poolId,
      Username: ann,
      Password: password,
      Permanent: true,
    });
    expect(await accounts().byEmail(ann)).toMatchObject({ holdsAddress: false });
  });
});

describe("nobody is found", () => {
  test("no account is found by an unknown address", async () => {
    expect(await accounts().byEmail(ann)).toBeUndefined();
  });

  test("no account is found by a provider's username that looks like an address", async () => {
    const { username } = await cognito.addUser(ann);
    expect(await accounts().byEmail(username)).toBeUndefined();
  });

  test("no account is found by an address that matches only in lower case", async () => {
    await cognito.addUser("kate@example.com");
    expect(await accounts().byEmail("\u212Aate@example.com")).toBeUndefined();
  });
});

describe("an identity is linked", () => {
  test("an identity is linked with its subject unchanged, and only once, however often it is tried", async () => {
    const { username } = await cognito.addUser(ann);
    const account = { username, ...proved };
    for (let attempt = 0; attempt < 2; attempt++) await accounts().link(account, identity);
    expect(await identitiesOf(username)).toMatchObject([{ providerName: "Google", userId: "123" }]);
  });

  test("an identity cannot be linked to a second account", async () => {
    const [first, second] = [await cognito.addUser(ann), await cognito.addUser("bob@example.com")];
    await accounts().link({ ...first, ...proved }, identity);
    await expect(accounts().link({ ...second, ...proved }, identity)).rejects.toMatchObject({
      name: "InvalidParameterException",
    });
    expect(await identitiesOf(second.username)).toEqual([]);
  });
});

test("ending all sign-ins of an account makes its refresh tokens invalid", async () => {
  const { sub } = await cognito.addUser(ann);
  const { refresh_token } = await signInWithPkce(cognito, ann);
  await accounts().endSignIns(sub);
  const again = { grant_type: "refresh_token", client_id: "public", refresh_token };
  expect(await postToken(cognito, again)).toMatchObject({ status: 400, error: "invalid_grant" });
});

test("an account's second factor is the one that Cognito lists as active", async () => {
  const answer = {
    Username: "ann",
    UserStatus: "CONFIRMED",
    UserAttributes: [
      { Name: "email", Value: ann },
      { Name: "email_verified", Value: "true" },
    ],
    UserMFASettingList: ["SOFTWARE_TOKEN_MFA"],
  };
  const answering = { send: async () => answer } as unknown as CognitoIdentityProviderClient;
  const found = await poolAccounts(async () => answering)(poolId).byEmail(ann);
  expect(found).toEqual({ username: "ann", holdsAddress: true, hasSecondFactor: true });
});
