import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { inOwnWorkspace } from "../../../packages/token-helper/own-workspace.ts";
import { claimsOf } from "../../../packages/token-helper/platform/claims.ts";
import { refreshed } from "../../../packages/token-helper/platform/oauth.ts";
import { FakePlatform } from "../../support/token-helper/fake-platform.ts";

let platform: FakePlatform;
beforeAll(async () => {
  platform = await FakePlatform.start(["http://localhost:1/callback"]);
});
afterAll(() => platform.stop());
beforeEach(() => {
  platform.usual();
  platform.rotates = true;
  platform.workspaces = ["t1", "t2"];
  platform.chosen = "t2";
  platform.asked.length = 0;
  platform.refreshTokens.clear();
  platform.refreshTokens.set("first", Number.POSITIVE_INFINITY);
});

async function settled(tenant_id: string | undefined) {
  const { url, discovery } = platform;
  const description = { url, discovery, store: "file", ...(tenant_id && { tenant_id }) } as const;
  const kept: string[] = [];
  const keep = async (token: string) => void kept.push(token);
  const { tokens, tenantId } = await inOwnWorkspace(description, await refreshed(discovery, "first"), "first", keep);
  return { named: claimsOf(tokens.accessToken)?.tenant_id, tenantId, kept, refreshToken: tokens.refreshToken };
}

test("a profile without a workspace takes the one that its token names", async () => {
  expect(await settled(undefined)).toMatchObject({ named: "t2", tenantId: "t2", kept: [] });
  expect(platform.asked).toEqual(["/oauth2/token"]);
});

test("a token that names another workspace gives way to one of the profile's own", async () => {
  expect(await settled("t1")).toMatchObject({ named: "t1", tenantId: "t1" });
  expect(platform.asked).toEqual(["/oauth2/token", "/v1/tenants/t1/activate", "/oauth2/token"]);
});

test("each refresh token is kept before it is used, since the platform may end the one before", async () => {
  platform.graceSeconds = 0;
  const { kept, refreshToken } = await settled("t1");
  expect(kept).toEqual([expect.stringMatching(/^refresh-/)]);
  expect(platform.refreshTokens.get(refreshToken ?? "")).toBe(Number.POSITIVE_INFINITY);
});

test("somebody who is in the workspace no more gets what the token names", async () => {
  platform.workspaces = ["t2"];
  expect(await settled("t1")).toMatchObject({ named: "t2", tenantId: "t2" });
});

test("two that choose in turns end with a word, not with a token of the other's workspace", async () => {
  platform.answer("/v1/tenants/t1/activate", (_request, response) => response.end("{}"));
  await expect(settled("t1")).rejects.toMatchObject({ exitCode: 4, message: expect.stringContaining("try again") });
});
