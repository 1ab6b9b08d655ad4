import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { inOwnWorkspace } from "../../../packages/sign-in/own-workspace.ts";
import { claimsOf } from "../../../packages/sign-in/platform/claims.ts";
import { refreshing } from "../../../packages/sign-in/platform/oauth.ts";
import { archway } from "../../../packages/token-helper/program.ts";
import { FakePlatform } from "../../support/sign-in/fake-platform.ts";

let platform: FakePlatform;
let kept: string[];
beforeAll(async () => {
  platform = await FakePlatform.start(["http://localhost:1/callback"]);
});
afterAll(() => platform.stop());
beforeEach(() => {
  platform.usual();
  kept = [];
  platform.rotates = true;
  platform.graceSeconds = 0;
  platform.workspaces = ["t1", "t2"];
  platform.chosen = "t2";
  platform.asked.length = 0;
  platform.refreshTokens.clear();
  platform.refreshTokens.set("first", Number.POSITIVE_INFINITY);
});

async function settled(tenant_id: string | undefined) {
  const { url, discovery, app } = platform;
  const description = { url, discovery, store: "file", ...(tenant_id && { tenant_id }) } as const;
  const keep = async (token: string) => void kept.push(token);
  const next = refreshing(app, "first", keep);
  const { tokens, tenantId } = await inOwnWorkspace(archway, description, await next(), next);
  return { named: claimsOf(tokens.accessToken)?.tenant_id, tenantId, refreshToken: tokens.refreshToken };
}

test("a profile without a workspace takes the workspace of its first token", async () => {
  expect(await settled(undefined)).toMatchObject({ named: "t2", tenantId: "t2" });
  expect(platform.asked).toEqual(["/oauth2/token"]);
});

test("a token for another workspace is replaced by a token for the profile's own workspace", async () => {
  expect(await settled("t1")).toMatchObject({ named: "t1", tenantId: "t1" });
  expect(platform.asked).toEqual(["/oauth2/token", "/v1/tenants/t1/activate", "/oauth2/token"]);
});

const isGood = (token = "") => platform.refreshTokens.get(token) === Number.POSITIVE_INFINITY;

test("each new refresh token is stored at once, because the platform ends the previous one", async () => {
  const { refreshToken } = await settled("t1");
  expect([kept.length, kept.at(-1)]).toEqual([2, refreshToken]);
  expect(isGood(refreshToken)).toBe(true);
});

test("a failing switch of workspace ends no sign-in: the last refresh token is stored", async () => {
  platform.answer("/v1/tenants/t1/activate", (_request, response) => response.writeHead(503).end("{}"));
  await expect(settled("t1")).rejects.toMatchObject({ exitCode: 4 });
  expect(isGood(kept.at(-1))).toBe(true);
});

test("a person who is no longer a member of the profile's workspace gets the token's workspace", async () => {
  platform.workspaces = ["t2"];
  expect(await settled("t1")).toMatchObject({ named: "t2", tenantId: "t2" });
});

test("two processes that keep switching workspaces end with a message, and not with a token for the wrong workspace", async () => {
  platform.answer("/v1/tenants/t1/activate", (_request, response) => response.end("{}"));
  await expect(settled("t1")).rejects.toMatchObject({ exitCode: 4, message: expect.stringContaining("try again") });
  expect(isGood(kept.at(-1))).toBe(true);
});
