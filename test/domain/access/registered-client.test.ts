import { describe, expect, test } from "@jest/globals";
import { appClients } from "../../../domain/access/app-client.ts";
import {
  addedScopes,
  heldScopes,
  mayAdminister,
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

test.each(uses)("a token of the client %s carries its own scopes of the platform at the most", (use) => {
  const mine: readonly string[] = appClients[use].scopes;
  const kept = leftFor({ client_id: "c", use }).filter((scope) => all.includes(scope));
  expect(kept.toSorted()).toEqual(mine.map((scope) => `platform/${scope}`).toSorted());
});

test("one of a connector, or of a client that nobody registered, calls no model and no control plane", () => {
  for (const client of [undefined, { client_id: "c", use: "connector", tenant_id: "t" } as const]) {
    const connecting = client ? ["platform/mcp:connect", "mcp:connect"] : [];
    expect(leftFor(client)).toEqual([...connecting, "openid", "email", "gateway/tools"]);
    expect(mayAdminister(client)).toBe(false);
  }
});

test("the console alone changes the own account", () => {
  expect(uses.filter((use) => leftFor({ client_id: "c", use }).includes(own))).toEqual(["console"]);
});

describe("a sign-in at the token helper of before `control:read`", () => {
  const helper = { client_id: "c", use: "token_helper" } as const;
  const asked = ["openid", "platform/control:manage", "platform/proxy:invoke"];

  test("has tokens that call models and read, whether they were made before or come now", () => {
    expect(heldScopes(helper, asked.join(" "), "platform")).toEqual(["control:read", "proxy:invoke"]);
    const withheld = withheldScopes(helper, "platform");
    const now = [...asked, ...addedScopes(helper, asked, "platform")].filter((scope) => !withheld.includes(scope));
    expect(now).toEqual(["openid", "platform/proxy:invoke", "platform/control:read"]);
  });

  test("gives nothing to who asked for no model, nor to another client", () => {
    expect(addedScopes(helper, ["openid"], "platform")).toEqual([]);
    for (const use of uses.filter((each) => each !== "token_helper"))
      expect(addedScopes({ client_id: "c", use }, asked, "platform")).toEqual([]);
    expect(heldScopes(undefined, asked.join(" "), "platform")).toEqual([]);
  });
});
