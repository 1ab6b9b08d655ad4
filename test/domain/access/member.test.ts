import { beforeEach, expect, test } from "@jest/globals";
import type { Actor } from "../../../domain/access/access-rule.ts";
import { removeMember } from "../../../domain/access/member.ts";
import { apiKeyBody, createKey } from "../../../domain/keys/key-creation.ts";
import { keyDependencies } from "../../support/people/key-dependencies.ts";
import { ann, dan, memoryStores } from "../../support/people/memory-stores.ts";

let stores: Awaited<ReturnType<typeof memoryStores>>;
let deps: ReturnType<typeof keyDependencies>;
beforeEach(async () => {
  stores = await memoryStores();
  deps = keyDependencies(stores);
});

const remove = (actor: Actor, sub: string) => removeMember(stores, actor, sub);
const status = async (sub: string) => (await stores.users.membership(sub, "t1"))?.status;

test("the owner removes a person together with grant and keys, which is recorded in one audit entry", async () => {
  await deps.giveGrant("dan");
  const { newId, create } = await createKey(deps, dan, apiKeyBody.parse({ name: "Laptop" }));
  await create(newId);
  await remove(ann, "dan");
  expect(await status("dan")).toBe("removed");
  expect(await stores.grants.get("t1", "dan")).toBeUndefined();
  expect(await stores.apiKeys.get(newId)).toMatchObject({ status: "revoked" });
  await remove(ann, "dan");
  expect((await stores.trail()).filter(({ action }) => action === "user.remove")).toMatchObject([
    {
      actor: "ann",
      target: "dan",
      before: { status: "active", grant: { monthly_budget_usd: 1 }, active_keys: [newId] },
      after: { status: "removed" },
    },
  ]);
});

test("a developer can leave the workspace, and cannot remove anybody else", async () => {
  await expect(remove(dan, "ann")).rejects.toMatchObject({ code: "role_missing" });
  await remove(dan, "dan");
  expect(await status("dan")).toBe("removed");
});

test("the owner cannot be removed, and an unknown person is not found", async () => {
  await expect(remove(ann, "ann")).rejects.toThrow(/^user_id: the owner cannot leave/);
  await expect(remove(ann, "nobody")).rejects.toMatchObject({ code: "not_found", fields: [{ path: "user_id" }] });
  expect(await status("ann")).toBe("active");
});
