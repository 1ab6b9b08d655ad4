import { expect, test } from "@jest/globals";
import { appClients } from "../../../domain/access/app-client.ts";
import {
  heldScopes,
  mayAdminister,
  ownClientSchema,
  type RegisteredClient,
  withheldScopes,
} from "../../../domain/access/registered-client.ts";
import { scopes } from "../../../domain/access/scope.ts";

const uses = Object.keys(appClients) as RegisteredClient["use"][];
const all = Object.keys(scopes).map((scope) => `platform/${scope}`);
const own = "aws.cognito.signin.user.admin";

/** The scopes that remain of all that could be registered for the client. */
function leftFor(client: RegisteredClient | undefined): string[] {
  const withheld = withheldScopes(client, "platform");
  return [...all, ...Object.keys(scopes), own, "openid", "email", "gateway/tools"].filter(
    (scope) => !withheld.includes(scope),
  );
}

test.each(uses)("a token of the client %s keeps at most its own scopes of the platform", (use) => {
  const mine: readonly string[] = appClients[use].scopes;
  const kept = leftFor({ client_id: "c", use }).filter((scope) => all.includes(scope));
  expect(kept.toSorted()).toEqual(mine.map((scope) => `platform/${scope}`).toSorted());
});

test("a token of a connector or an unregistered client calls no model and no control plane", () => {
  for (const client of [undefined, { client_id: "c", use: "connector", tenant_id: "t" } as const]) {
    const connecting = client ? ["platform/mcp:connect", "mcp:connect"] : [];
    expect(leftFor(client)).toEqual([...connecting, "openid", "email", "gateway/tools"]);
    expect(mayAdminister(client)).toBe(false);
  }
});

test("only the console's tokens may change the person's own account", () => {
  expect(uses.filter((use) => leftFor({ client_id: "c", use }).includes(own))).toEqual(["console"]);
});

test("a token allows only actions that its scopes name and its client may do now, and none without a client", () => {
  const claim = "openid platform/control:manage platform/proxy:invoke";
  expect(heldScopes({ client_id: "c", use: "token_helper" }, claim, "platform")).toEqual(["proxy:invoke"]);
  expect(heldScopes({ client_id: "c", use: "console" }, claim, "platform")).toEqual(["control:manage"]);
  expect(heldScopes(undefined, claim, "platform")).toEqual([]);
});

test("the program registers no connector, and every other client", () => {
  const registered = uses.filter((use) => ownClientSchema.safeParse({ client_id: "c", use }).success);
  expect(registered).toEqual(uses.filter((use) => use !== "connector"));
});
