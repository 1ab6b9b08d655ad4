import { expect, test } from "@jest/globals";
import { createTenant, outsideEffects, type TenantEffects } from "../../../domain/provisioning/tenant-creation.ts";
import { setupSteps, type Tenant } from "../../../domain/workspace/tenant.ts";

const draft = {
  tenant_id: "new",
  name: "Acme",
  slug: "acme",
  owner_sub: "ann",
  created_at: "2026-11-21T05:01:00.001Z",
  setup_state: { pending: [...setupSteps] },
} as Tenant;

/** Effects that note that they ran, over `there`, the tenant that holds the slug. */
function effects(there: Tenant = draft) {
  const ran: string[] = [];
  const step = (name: string) => async () => void ran.push(name);
  const all: TenantEffects = {
    async tenant_row() {
      ran.push("tenant_row");
      return there;
    },
    membership: step("membership"),
    free_credit: step("free_credit"),
    stripe_subscription: step("stripe_subscription"),
    stripe_customer: step("stripe_customer"),
    kms_key: step("kms_key"),
  };
  return { all, ran };
}

test("the six effects of a tenant's creation run in the specification's order", async () => {
  const { all, ran } = effects();
  const tenant = await createTenant(all, draft);
  expect(ran).toEqual(["tenant_row", "kms_key", "stripe_customer", "stripe_subscription", "free_credit", "membership"]);
  expect(tenant.setup_state.pending).toEqual([]);
});

test("an effect of a tenant's creation for which there is no function stays pending", async () => {
  const { tenant_row, free_credit, membership } = effects().all;
  const tenant = await createTenant({ tenant_row, free_credit, membership }, draft);
  expect(tenant.setup_state.pending).toEqual(["kms_key", "stripe_customer", "stripe_subscription"]);
});

test("a creation of a tenant that continues repeats no finished effect", async () => {
  const { all, ran } = effects({ ...draft, setup_state: { pending: ["stripe_subscription", "membership"] } });
  await createTenant(all, draft);
  expect(ran).toEqual(["tenant_row", "stripe_subscription", "membership"]);
});

test("a failing effect ends a tenant's creation before access is opened", async () => {
  const { all, ran } = effects();
  all.stripe_customer = () => Promise.reject(new Error("no answer"));
  await expect(createTenant(all, draft)).rejects.toThrow("no answer");
  expect(ran).toEqual(["tenant_row", "kms_key"]);
});

const holder: Tenant = { ...draft, tenant_id: "old", created_at: "2026-11-21T05:00:00.000Z" };

test("a caller's interrupted creation of the same name continues after a minute", async () => {
  expect(await createTenant(effects(holder).all, draft)).toMatchObject({ tenant_id: "old" });
});

test.each([
  ["another's", { owner_sub: "bob" }],
  ["of another name", { name: "ACME" }],
  ["complete", { setup_state: { pending: [] } }],
])("a slug is taken if its holder is %s", async (_what, changes: Partial<Tenant>) => {
  const { all, ran } = effects({ ...holder, ...changes });
  await expect(createTenant(all, draft)).rejects.toMatchObject({
    code: "slug_taken",
    message: expect.stringMatching(/^name: .*"acme"/),
  });
  expect(ran).toEqual(["tenant_row"]);
});

test("a caller's creation that may still be running is refused with the time at which the same request will continue it", async () => {
  const { all, ran } = effects({ ...holder, created_at: "2026-11-21T05:00:00.001Z" });
  const refusal = await createTenant(all, draft).catch((error) => error);

  expect(refusal).toMatchObject({ code: "workspace_incomplete", retryAfterSeconds: 1 });
  expect(refusal.message).toMatch(
    /^name: another request of yours is making this workspace.* send the same again in 1 s$/,
  );
  expect(ran).toEqual(["tenant_row"]);
});

const outsideOf = (
  setUp: () => Promise<void>,
  pendingAfter: string[],
  send = async (_job: unknown, _delay?: number) => {},
) => {
  const problems: string[] = [];
  const outside = outsideEffects({
    outside: [{ steps: ["kms_key"], setUp, remove: async () => ({}) }],
    tenants: { get: async () => ({ ...draft, setup_state: { pending: pendingAfter } }) as Tenant },
    jobs: { send },
    log: { info: () => {}, problem: (message) => void problems.push(message) },
  });
  return { outside, problems };
};

test("a creation's steps outside the table are requested once, and missing ones stay pending", async () => {
  let asked = 0;
  const setUp = async () => {
    asked += 1;
  };
  const { outside } = outsideOf(setUp, ["stripe_customer", "stripe_subscription", "free_credit", "membership"]);
  const tenant = await createTenant({ ...effects().all, ...outside }, draft);
  expect([asked, tenant.setup_state.pending]).toEqual([1, ["stripe_customer", "stripe_subscription"]]);
});

test("a failing step outside the table does not block a creation: access is opened, and a job continues once the failed run's claim has ended", async () => {
  const sent: unknown[] = [];
  const { outside } = outsideOf(
    () => Promise.reject(new Error("no answer")),
    [],
    async (job, delay) => void sent.push([job, delay]),
  );
  const { all, ran } = effects();
  const tenant = await createTenant({ ...all, ...outside }, draft);
  expect(ran).toEqual(["tenant_row", "free_credit", "membership"]);
  expect(tenant.setup_state.pending).toEqual(["kms_key", "stripe_customer", "stripe_subscription"]);
  expect(sent).toEqual([[{ kind: "tenant", tenant_id: "new" }, 120]]);
});

test("a failing queue does not block a creation: the reconciliation completes it", async () => {
  const fail = () => Promise.reject(new Error("no answer"));
  const { outside, problems } = outsideOf(fail, [], fail);
  const { all, ran } = effects();
  await createTenant({ ...all, ...outside }, draft);
  expect(ran).toContain("membership");
  expect(problems).toEqual(["A tenant's setup goes on later", "The reconciliation will find this tenant"]);
});
