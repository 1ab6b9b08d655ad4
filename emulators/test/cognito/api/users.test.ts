import { expect, test } from "@jest/globals";
import { declaredPool, password, poolId } from "../declarations.ts";
import { authorizeUrl, Browser, postToken, refusal, signInWithPkce, start, userInfo } from "../harness.ts";

const UserPoolId = poolId;
const Username = "ann@example.com";
const address = { Name: "email", Value: Username };

test("an administrator creates an account, and the person gets an invitation with a temporary password", async () => {
  await using stack = await start();
  const { User } = await stack.call("AdminCreateUser", { UserPoolId, Username });
  expect(User).toEqual({
    Username: expect.stringMatching(/^[0-9a-f-]{36}$/),
    Attributes: [{ Name: "sub", Value: User.Username }, address],
    UserCreateDate: expect.any(Number),
    UserLastModifiedDate: expect.any(Number),
    Enabled: true,
    UserStatus: "FORCE_CHANGE_PASSWORD",
  });
  expect(stack.mails).toMatchObject([
    {
      to: Username,
      subject: "Your temporary password",
      text: expect.stringMatching(/^Your username is ann@example\.com and temporary password is \S{12}$/),
    },
  ]);
  const { Attributes, ...rest } = User;
  const { UserAttributes, ...found } = await stack.call("AdminGetUser", { UserPoolId, Username });
  expect([UserAttributes, found]).toEqual([Attributes, rest]);
});

test("a global sign-out ends every refresh token and every access token with the scope for one's own account, but no browser session", async () => {
  await using stack = await start();
  const { username } = await stack.addUser(Username);
  const browser = new Browser(stack);
  expect((await browser.signIn(authorizeUrl(stack), Username)).leftFor).toBeDefined();
  const { access_token, refresh_token } = await signInWithPkce(stack, Username);
  expect(await stack.call("AdminUserGlobalSignOut", { UserPoolId, Username: username })).toEqual({});
  const again = { grant_type: "refresh_token", client_id: "public", refresh_token };
  expect(await postToken(stack, again)).toMatchObject({ status: 400, error: "invalid_grant" });
  expect((await userInfo(stack, access_token)).status).toBe(401);
  expect((await browser.open(authorizeUrl(stack))).leftFor?.searchParams.get("code")).toBeTruthy();
  const error = await refusal(stack.call("AdminUserGlobalSignOut", { UserPoolId, Username: "nobody" }));
  expect(error.code).toBe("UserNotFoundException");
});

test("the invitation has the declared text", async () => {
  const inviteMessageTemplate = { emailSubject: "Welcome", emailMessage: "{username}: {####} (for {username})" };
  await using stack = await start({ pool: { ...declaredPool, adminCreateUserConfig: { inviteMessageTemplate } } });
  await stack.call("AdminCreateUser", { UserPoolId, Username, TemporaryPassword: password });
  expect(stack.mails).toMatchObject([
    { to: Username, subject: "Welcome", text: `${Username}: ${password} (for ${Username})` },
  ]);
});

test("an invitation can be sent again until it has been used", async () => {
  await using stack = await start();
  await stack.call("AdminCreateUser", { UserPoolId, Username, MessageAction: "SUPPRESS" });
  expect(stack.mails).toHaveLength(0);
  await stack.call("AdminCreateUser", { UserPoolId, Username, MessageAction: "RESEND" });
  expect(stack.mails).toHaveLength(1);
  await stack.call("AdminSetUserPassword", { UserPoolId, Username, Password: password, Permanent: true });
  const error = await refusal(stack.call("AdminCreateUser", { UserPoolId, Username, MessageAction: "RESEND" }));
  expect(error.code).toBe("UnsupportedUserStateException");
});

test.each([
  [
    "taken",
    { Username: "ANN@example.com" },
    "UsernameExistsException",
    "An account with the given email already exists.",
  ],
  ["no address", { Username: "bob" }, "InvalidParameterException", "Username should be an email."],
  ["two addresses", { Username: "b@example.com", UserAttributes: [address] }, "InvalidParameterException", "differ"],
  ["weak", { Username: "b@example.com", TemporaryPassword: "x" }, "InvalidPasswordException", "not long enough"],
  [
    "an unknown attribute",
    { Username: "b@example.com", UserAttributes: [{ Name: "colour", Value: "red" }] },
    "InvalidParameterException",
    "Type for attribute {colour} could not be determined",
  ],
  [
    "an undeclared one",
    { Username: "b@example.com", UserAttributes: [{ Name: "custom:x", Value: "1" }] },
    "InvalidParameterException",
    "Type for attribute {custom:x} could not be determined",
  ],
  [
    "a text message",
    { Username: "b@example.com", DesiredDeliveryMediums: ["SMS"] },
    "InvalidParameterException",
    "DesiredDeliveryMediums",
  ],
  [
    "an unknown member",
    { Username: "b@example.com", ForceAliasCreation: true },
    "InvalidParameterException",
    "ForceAliasCreation: not emulated",
  ],
])("creating an account with %s is refused", async (_case, input, code, words) => {
  await using stack = await start();
  await stack.call("AdminCreateUser", { UserPoolId, Username });
  stack.mails.length = 0;
  const error = await refusal(stack.call("AdminCreateUser", { UserPoolId, ...input }));
  expect(error).toMatchObject({ code, status: 400 });
  expect(error.message).toContain(words);
  expect(stack.mails).toEqual([]);
});

test("only one of two simultaneous calls creates a user with an address", async () => {
  await using stack = await start();
  const create = () => stack.call("AdminCreateUser", { UserPoolId, Username });
  const results = await Promise.allSettled([create(), create()]);
  expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect((await stack.call("ListUsers", { UserPoolId })).Users).toHaveLength(1);
});

test("declared custom attributes are kept within their limits", async () => {
  const schemas = [
    { name: "role", attributeDataType: "String", stringAttributeConstraints: { minLength: "1", maxLength: "5" } },
  ];
  await using stack = await start({ pool: { ...declaredPool, schemas } });
  const set = (Name: string, Value: string) =>
    stack.call("AdminUpdateUserAttributes", { UserPoolId, Username, UserAttributes: [{ Name, Value }] });
  await stack.call("AdminCreateUser", { UserPoolId, Username });
  await set("custom:role", "owner");
  expect((await refusal(set("custom:role", "longer"))).message).toContain("must not be longer than 5");
  expect((await refusal(set("role", "owner"))).message).toContain("could not be determined");
});

test("changing the e-mail address makes it unverified, and an empty value removes an attribute", async () => {
  await using stack = await start();
  await stack.addUser(Username);
  await stack.addUser("bob@example.com");
  const set = (...UserAttributes: object[]) =>
    stack.call("AdminUpdateUserAttributes", { UserPoolId, Username: current, UserAttributes });
  let current = Username;
  expect((await refusal(set({ Name: "email", Value: "bob@example.com" }))).code).toBe("UsernameExistsException");
  await set({ Name: "email", Value: "new@example.com" }, { Name: "name", Value: "Ann" });
  current = "new@example.com";
  const get = async () => (await stack.call("AdminGetUser", { UserPoolId, Username: current })).UserAttributes;
  expect(await get()).toEqual(
    expect.arrayContaining([
      { Name: "email_verified", Value: "false" },
      { Name: "name", Value: "Ann" },
    ]),
  );
  await set({ Name: "name", Value: "" }, { Name: "email_verified", Value: "true" });
  expect(await get()).toContainEqual({ Name: "email_verified", Value: "true" });
  expect(await get()).not.toContainEqual(expect.objectContaining({ Name: "name" }));
});

test("deleting an account is answered with an empty body, and ends all its sign-ins", async () => {
  await using stack = await start();
  await stack.addUser(Username);
  const { refresh_token } = await signInWithPkce(stack, Username);
  expect(await stack.call("AdminDeleteUser", { UserPoolId, Username })).toBeUndefined();
  expect((await refusal(stack.call("AdminGetUser", { UserPoolId, Username }))).code).toBe("UserNotFoundException");
  const refreshing = postToken(stack, { grant_type: "refresh_token", client_id: "public", refresh_token });
  expect(await refreshing).toMatchObject({ error: "invalid_grant" });
});

test.each(["AdminGetUser", "AdminDeleteUser"])("%s answers that the user does not exist", async (operation) => {
  await using stack = await start();
  const error = await refusal(stack.call(operation, { UserPoolId, Username }));
  expect(error).toMatchObject({ code: "UserNotFoundException", message: "User does not exist." });
});

test("a password that is not permanent is temporary", async () => {
  await using stack = await start();
  await stack.addUser(Username);
  await stack.call("AdminSetUserPassword", { UserPoolId, Username, Password: password });
  expect((await stack.call("AdminGetUser", { UserPoolId, Username })).UserStatus).toBe("FORCE_CHANGE_PASSWORD");
});

test("people are listed in pages", async () => {
  await using stack = await start();
  const names = ["a@example.com", "b@example.com", "c@example.com"];
  for (const name of names) {
    await stack.call("AdminCreateUser", { UserPoolId, Username: name, MessageAction: "SUPPRESS" });
  }
  const first = await stack.call("ListUsers", { UserPoolId, Limit: 2, AttributesToGet: ["email"] });
  const { PaginationToken } = first;
  const second = await stack.call("ListUsers", { UserPoolId, Limit: 2, AttributesToGet: ["email"], PaginationToken });
  const shown = [...first.Users, ...second.Users].map(({ Attributes }) => Attributes);
  expect(shown).toEqual(names.map((Value) => [{ Name: "email", Value }]));
  expect(second).not.toHaveProperty("PaginationToken");
});

test("people are found by address and by sub", async () => {
  await using stack = await start();
  const { sub } = await stack.addUser(Username);
  await stack.addUser("bob@example.com");
  const found = async (Filter: string) =>
    (await stack.call("ListUsers", { UserPoolId, Filter })).Users.map((user: { Username: string }) => user.Username);
  expect(await found('email = "Ann@example.com"')).toEqual([sub]);
  expect(await found(`sub = "${sub}"`)).toEqual([sub]);
  expect(await found('email = "nobody@example.com"')).toEqual([]);
  expect((await refusal(stack.call("ListUsers", { UserPoolId, Filter: "email" }))).code).toBe(
    "InvalidParameterException",
  );
});

const source = { ProviderName: "Google", ProviderAttributeName: "Cognito_Subject", ProviderAttributeValue: "123" };
const destination = { ProviderName: "Cognito", ProviderAttributeValue: Username };

test("an identity of a provider can be linked only once", async () => {
  await using stack = await start();
  await stack.addUser(Username);
  await stack.addUser("bob@example.com");
  const link = (DestinationUser: object, SourceUser: object = source) =>
    stack.call("AdminLinkProviderForUser", { UserPoolId, DestinationUser, SourceUser });
  expect(await link(destination)).toEqual({});
  const { UserAttributes } = await stack.call("AdminGetUser", { UserPoolId, Username });
  const identities = UserAttributes.find((attribute: { Name: string }) => attribute.Name === "identities");
  expect(JSON.parse(identities.Value)).toMatchObject([{ providerName: "Google", userId: "123", primary: "false" }]);
  expect((await refusal(link(destination))).message).toContain("already linked");
  const other = { ...destination, ProviderAttributeValue: "bob@example.com" };
  expect((await refusal(link(other))).message).toContain("already linked");
  const nobody = { ...destination, ProviderAttributeValue: "nobody@example.com" };
  expect((await refusal(link(nobody))).code).toBe("UserNotFoundException");
  expect((await refusal(link(destination, { ...source, ProviderName: "GitHub" }))).code).toBe(
    "ResourceNotFoundException",
  );
});
