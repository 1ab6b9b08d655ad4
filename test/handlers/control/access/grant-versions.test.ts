// Grants are changed on the version that the owner read, and each change is in the audit trail.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openControlPlane } from "../../../support/control-plane.ts";

let plane: Awaited<ReturnType<typeof openControlPlane>>;
beforeAll(async () => {
  plane = await openControlPlane();
});
afterAll(() => plane.close());

test("a grant is written and revoked with If-Match only on that version, and the audit trail has each change", async () => {
  const owner = await plane.workspace("Grants");
  const { sub } = await plane.developer(owner.tenant_id);
  const path = `/v1/grants/${sub}`;
  const body = { allowed_models: ["*"], allowed_regions: ["eu-central-1"], monthly_budget_usd: 1 };
  const put = (budget: number, tag?: string) =>
    plane.call("PUT", path, {
      as: owner,
      body: { ...body, monthly_budget_usd: budget },
      ...(tag !== undefined && { headers: { "if-match": tag } }),
    });
  const first = String((await put(1, '"0"')).headers.etag);
  expect((await plane.call("GET", path, { as: owner })).headers.etag).toBe(first);
  const second = String((await put(2, first)).headers.etag);
  expect(second).not.toBe(first);
  expect((await put(3, first)).status).toBe(412);
  const remove = (tag: string) => plane.call("DELETE", path, { as: owner, headers: { "if-match": tag } });
  expect((await remove(first)).status).toBe(412);
  // Many at once: all are made, each on what another wrote.
  const replies = await Promise.all([4, 5, 6].map((budget) => put(budget)));
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  const last = String((await plane.call("GET", path, { as: owner })).headers.etag);
  expect((await remove(last)).status).toBe(204);
  const { body: trail } = await plane.call("GET", "/v1/audit", { as: owner });
  const actions = trail.data.map(({ action }: { action: string }) => action);
  expect(actions.filter((action: string) => action === "grant.put")).toHaveLength(5);
  expect(actions.filter((action: string) => action === "grant.delete")).toHaveLength(1);
});
