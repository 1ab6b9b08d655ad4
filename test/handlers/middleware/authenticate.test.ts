import { expect, test } from "@jest/globals";
import { KeySetUnavailable, type TokenVerifier } from "../../../domain/access/credential.ts";
import type { Scope } from "../../../domain/access/scope.ts";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import { authentication } from "../../../handlers/middleware/authenticate.ts";
import type { SignedIn } from "../../../handlers/middleware/caller.ts";
import { aDiscovery, helperClient, plainTokens, tokenOf } from "../../support/control-plane.ts";

function enter(
  headers: Record<string, string>,
  tokens: TokenVerifier = plainTokens,
  openers?: readonly Scope[],
): Promise<SignedIn> {
  return authentication({ tokens, scopePrefix: "platform", clients: aDiscovery.clients })({ headers }, openers);
}

const bearer = (claims = {}) => ({ authorization: `Bearer ${tokenOf({ sub: "ann", tenant_id: "t1", ...claims })}` });
const failing = (error: Error): TokenVerifier => ({ verify: () => Promise.reject(error) });

test("a token says who calls, since when, with which app client and workspace, and in which platform role", async () => {
  const caller = { sub: "ann", clientId: "console-client" };
  const signedIn = bearer({ auth_time: 1_790_000_000 });
  expect(await enter(signedIn)).toEqual({ ...caller, tenantId: "t1", signedInAt: 1_790_000_000_000 });
  const admin = bearer({ platform_role: "platform_admin", tenant_id: undefined, auth_time: undefined });
  expect(await enter(admin)).toEqual({ ...caller, platformRole: "platform_admin" });
});

test("an assistant's token is accepted by routes that allow it, and the other routes refer to the console", async () => {
  const assistants = bearer({ client_id: helperClient, scope: "platform/control:read platform/proxy:invoke" });
  expect(await enter(assistants, plainTokens, ["control:read"])).toMatchObject({ sub: "ann" });
  await expect(enter(assistants)).rejects.toMatchObject({
    code: "scope_missing",
    message: 'This needs a token with the scope "control:manage": do it in the console',
  });
});

test("a token may also be sent in x-api-key", async () => {
  expect(await enter({ "x-api-key": tokenOf({ sub: "ann" }) })).toMatchObject({ sub: "ann" });
});

test.each([
  [{}, "credential_missing"],
  [{ authorization: "Bearer nonsense" }, "credential_invalid"],
  [bearer({ scope: "openid platform/proxy:invoke" }), "scope_missing"],
  [bearer({ scope: undefined }), "scope_missing"],
])("the headers %j are refused as %s", async (headers, code) => {
  await expect(enter(headers)).rejects.toMatchObject({ code });
});

test("a refusal of the token is passed on unchanged", async () => {
  const refusal = new Refusal("credential_expired", "The token has expired, sign in again");
  await expect(enter(bearer(), failing(refusal))).rejects.toBe(refusal);
});

test("a token that cannot be verified now is refused with a time to retry", async () => {
  const unavailable = new KeySetUnavailable(new Error("no key set"));
  await expect(enter(bearer(), failing(unavailable))).rejects.toBe(unavailable);
  expect(unavailable).toMatchObject({ code: "identity_unavailable" });
});
