import { expect, test } from "@jest/globals";
import { secretClient } from "../declarations.ts";
import { postToken, type Stack, signInWithPkce, start, userInfo } from "../harness.ts";

const email = "ann@example.com";

async function revoke({ baseUrl }: Stack, form: Record<string, string>) {
  const response = await fetch(`${baseUrl}/oauth2/revoke`, { method: "POST", body: new URLSearchParams(form) });
  return { status: response.status, body: await response.text() };
}

test("revoking ends the refresh token and every token of its sign-in, and no other tokens", async () => {
  await using stack = await start();
  await stack.addUser(email);
  const [one, other] = [await signInWithPkce(stack, email), await signInWithPkce(stack, email)];
  const refresh = { grant_type: "refresh_token", client_id: "public", refresh_token: one.refresh_token };
  const renewed = await postToken(stack, refresh);
  expect(await revoke(stack, { token: one.refresh_token, client_id: "public" })).toEqual({ status: 200, body: "" });
  expect(await postToken(stack, refresh)).toMatchObject({ error: "invalid_grant" });
  expect((await userInfo(stack, one.access_token)).status).toBe(401);
  expect((await userInfo(stack, renewed.access_token)).status).toBe(401);
  expect((await userInfo(stack, other.access_token)).status).toBe(200);
});

test("the revoke endpoint refuses invalid requests", async () => {
  await using stack = await start();
  await stack.addUser(email);
  const { refresh_token: token, access_token } = await signInWithPkce(stack, email);
  const error = async (form: Record<string, string>) => {
    const { status, body } = await revoke(stack, form);
    return [status, body && JSON.parse(body).error];
  };
  expect(await error({ client_id: "public" })).toEqual([400, "invalid_request"]);
  expect(await error({ token, client_id: "nobody" })).toEqual([401, "invalid_client"]);
  expect(await error({ token, client_id: "confidential" })).toEqual([401, "invalid_client"]);
  expect(await error({ token: access_token, client_id: "public" })).toEqual([400, "unsupported_token_type"]);
  const other = { client_id: "confidential", client_secret: secretClient.clientSecret };
  expect(await error({ token, ...other })).toEqual([400, "unauthorized_client"]);
  expect(await error({ token: "unknown", client_id: "public" })).toEqual([200, ""]);
  const refresh = { grant_type: "refresh_token", client_id: "public", refresh_token: token };
  expect(await postToken(stack, refresh)).toMatchObject({ status: 200 });
});
