// Creating a workspace while things fail: whatever is cut off before or after it took effect, there is one of everything in the end.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { creditRecord } from "../../../adapters/dynamodb/budget/credit.record.ts";
import { membershipRecord } from "../../../adapters/dynamodb/people/user.record.ts";
import { manifestRecord } from "../../../adapters/dynamodb/provisioning/manifest.record.ts";
import { directoryRecord } from "../../../adapters/dynamodb/workspace/directory.record.ts";
import { slugReservationRecord } from "../../../adapters/dynamodb/workspace/slug-reservation.record.ts";
import { tenantRecord } from "../../../adapters/dynamodb/workspace/tenant.record.ts";
import { keyAlias } from "../../../domain/provisioning/tenant-key.ts";
import type { FaultInput } from "../../../emulators/aws/faults.ts";
import { consoleToken } from "../../../local/demo/app-client.ts";
import { signUp } from "../../../local/demo/workspace.ts";
import type { Person } from "../../../local/running-stack.ts";
import type { Stack } from "../../../local/stack.ts";
import { itemAt, partition } from "../../support/accounting/accounting.ts";
import { startSeeded } from "../../support/program/seeded-stack.ts";
import { few, isLong, longTest } from "../../support/sizes.ts";

let stack: Stack;
let owner: Person;
beforeAll(async () => {
  // Without billing, whose effects have a test of their own (billing-life.test.ts).
  const config = { "archway:limits": JSON.stringify({ workspaces: 100 }), "archway:stripe": undefined };
  stack = await startSeeded({ config });
  owner = await signUp(stack, "creator@tenants.example");
});
afterAll(() => stack.stop());
afterEach(() => stack.faults.clear());

type Answer = {
  status: number;
  body: { tenant_id: string; setup_state: { pending: string[] }; [name: string]: unknown };
};

async function create(name: string, person = owner, key: string = randomUUID()): Promise<Answer> {
  return createWith(await consoleToken(stack, person), name, key);
}

async function createWith(token: string, name: string, key: string = randomUUID()): Promise<Answer> {
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    "idempotency-key": key,
  };
  const response = await fetch(`${stack.at("api")}/v1/tenants`, {
    method: "POST",
    headers,
    body: JSON.stringify({ name }),
  });
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}

/** Keys of a tenant that are not given up. */
const keysOf = (tenantId: string) =>
  stack.kms.keys().filter(({ tags, state }) => tags.tenant_id === tenantId && state === "Enabled");
const row = (key: { pk: string; sk: string }) => itemAt(stack, key);

/** From here on nothing fails any more; what was to fail has failed. */
function unharmed(): void {
  expect(stack.faults.list().map(({ struck }) => struck > 0)).toEqual([true]);
  stack.faults.clear();
}

/** Jobs that are due, those of runs that failed included, and what the hourly schedule finds. */
async function reconcileAll(): Promise<void> {
  for (let round = 0; round < 3; round++) {
    stack.clock.advance(600_000);
    await stack.schedules.run("reconcile");
    await stack.queuePoller.idle();
  }
}

/** One of everything: rows, key, alias, credit, and nothing more that this stack's keys say of the tenant. */
async function expectWhole(tenantId: string): Promise<void> {
  const [key, ...more] = keysOf(tenantId);
  expect(more).toEqual([]);
  const alias = keyAlias("dev", tenantId);
  expect(stack.kms.aliases()[alias]).toBe(key?.arn);
  expect(await row(tenantRecord.key({ tenant_id: tenantId }))).toMatchObject({
    kms_cmk_arn: key?.arn,
    status: "active",
  });
  expect((await row(tenantRecord.key({ tenant_id: tenantId })))?.setup_pending).toEqual(
    new Set(["stripe_customer", "stripe_subscription"]),
  );
  expect(await partition(stack, creditRecord.key({ tenant_id: tenantId }).pk)).toHaveLength(1);
  expect(await row(manifestRecord.key({ tenant_id: tenantId, resource: "kms_key" }))).toMatchObject({
    state: "done",
    resource: key?.arn,
  });
  const memberships = (await partition(stack, membershipRecord.range({ sub: owner.sub }).pk)).filter(
    ({ tenant_id, tenant_role }) => tenant_id === tenantId && tenant_role === "owner",
  );
  expect(memberships).toMatchObject([{ status: "active" }]);
}

test("a new workspace has its own key, with the alias, the tags and the policy of the platform's", async () => {
  const { status, body } = await create("With a key");
  const pending = body.setup_state.pending.filter((step) => step !== "kms_key");
  // The stack bills nobody, so that it has no step at a payment provider.
  expect([status, pending]).toEqual([201, []]);
  // A creation answers after some seconds whatever the asked function still does: on a slow machine a job records the key.
  if (body.kms_cmk_arn === undefined) await reconcileAll();
  await expectWhole(body.tenant_id);
  const [key] = keysOf(body.tenant_id);
  expect(body.kms_cmk_arn ?? key?.arn).toBe(key?.arn);
  expect(key?.tags).toEqual({ archway_stack: "dev", tenant_id: body.tenant_id });
  const [administration, making] = JSON.parse(key?.policy ?? "").Statement;
  expect(administration.Principal.AWS).toBe("arn:aws:iam::000000000000:root");
  expect(administration.Action.join()).not.toMatch(/kms:\*|Encrypt|Decrypt|GenerateDataKey/);
  expect(making.Principal.AWS).toEqual(expect.stringContaining("role/tenant-keys"));
  expect(stack.calls.all().filter(({ allowed }) => !allowed)).toEqual([]);
});

const kms = (operation: string): Omit<FaultInput, "when"> => ({ service: "kms", operation, kind: "error", times: 9 });
const store = (operation: string, match: string): Omit<FaultInput, "when"> => ({
  service: "dynamodb",
  operation,
  match,
  kind: "error",
  times: 9,
});

describe.each(["before", "after"] as const)("what is outside the table fails %s it took effect", (when) => {
  const acts: [string, Omit<FaultInput, "when">][] = [
    ["making the key", kms("CreateKey")],
    ["recording the key", store("TransactWriteItems", "kms_cmk_arn")],
    ["the invocation", { service: "lambda", operation: "Invoke", kind: "error", times: 9 }],
    ["the claim on the step", store("TransactWriteItems", "claimed_until")],
    ["noting the key", store("UpdateItem", "resource")],
    ["naming the key", kms("CreateAlias")],
  ];

  test.each(few(2, acts))(
    "a new workspace with a failing outside step is open at once, and complete a little later: %s",
    async (what, fault) => {
      stack.faults.put([{ ...fault, when }]);
      const { status, body } = await create(`${what} ${when}`);
      expect(status).toBe(201);
      unharmed();
      await reconcileAll();
      await expectWhole(body.tenant_id);
      expect(stack.queues.byName("reconcile-jobs-dead-letters-local").counts().visible).toBe(0);
    },
  );
});

// It takes the time that a request has.
longTest(
  "a new workspace is open within the time of a request even if the function of the keys does not answer, and complete a little later",
  async () => {
    stack.faults.put([{ service: "lambda", operation: "Invoke", kind: "hang", when: "before", times: 9 }]);
    const { status, body } = await create("Silence");
    expect([status, body.setup_state.pending]).toEqual([201, ["kms_key"]]);
    unharmed();
    await reconcileAll();
    await expectWhole(body.tenant_id);
  },
);

describe.each(["before", "after"] as const)("a row of the creation fails %s it took effect", (when) => {
  const rows: [string, Omit<FaultInput, "when">][] = [
    ["the credit's", store("TransactWriteItems", "CREDIT#")],
    ["the tenant's", store("TransactWriteItems", "SLUG#")],
    ["the membership's", store("TransactWriteItems", "tenant_role")],
  ];

  test.each(few(1, rows))(
    "a creation whose write fails is completed by repeating the call, without duplicates: %s",
    async (what, fault) => {
      const [name, key] = [`Row ${what} ${when}`, randomUUID()];
      stack.faults.put([{ ...fault, when }]);
      expect((await create(name, owner, key)).status).toBe(503);
      unharmed();
      const { status, body } = await create(name, owner, key);
      expect(status).toBe(201);
      await expectWhole(body.tenant_id);
      await reconcileAll();
      await expectWhole(body.tenant_id);
    },
  );

  test("a creation that fails before its membership is completed by the reconciliation if the call is not repeated", async () => {
    stack.faults.put([{ ...store("TransactWriteItems", "tenant_role"), when }]);
    const name = `Swept ${when}`;
    expect((await create(name)).status).toBe(503);
    unharmed();
    const reserved = await row(slugReservationRecord.key({ slug: `swept-${when}` }));
    await reconcileAll();
    await expectWhole(String(reserved?.tenant_id));
  });
});

const givenUp: [string, Omit<FaultInput, "when">][] = [
  ["made, and nobody heard of it", kms("CreateKey")],
  ["made and not noted", store("UpdateItem", "resource")],
  ["noted and not named", kms("CreateAlias")],
];

test.each(few(1, givenUp))("a creation that is given up with its key %s leaves nothing behind", async (what, fault) => {
  stack.faults.put([{ ...fault, when: fault.operation === "CreateKey" ? "after" : "before" }]);
  const { body } = await create(`Given up, ${what}`);
  unharmed();
  const path = `${stack.at("api")}/v1/tenants/${body.tenant_id}`;
  const as = async (person: Person) => ({ authorization: `Bearer ${await consoleToken(stack, person)}` });
  expect((await fetch(path, { method: "DELETE", headers: await as(owner) })).status).toBe(204);
  const admin = stack.demo?.platform_admin as Person;
  expect((await fetch(`${path}/purge`, { method: "DELETE", headers: await as(admin) })).status).toBe(202);
  await reconcileAll();
  const left = stack.kms.keys().filter(({ tags }) => tags.tenant_id === body.tenant_id);
  expect(left.map(({ state }) => state)).toEqual(["PendingDeletion"]);
  expect(Object.keys(stack.kms.aliases()).filter((name) => name.endsWith(body.tenant_id))).toEqual([]);
  for (const key of [
    tenantRecord.key({ tenant_id: body.tenant_id }),
    creditRecord.key({ tenant_id: body.tenant_id }),
    directoryRecord.key({ tenant_id: body.tenant_id }),
  ]) {
    expect(await row(key)).toBeUndefined();
  }
  expect(await partition(stack, manifestRecord.range({ tenant_id: body.tenant_id }).pk)).toEqual([]);
});

/** Programs that leave no processor free, until they are disposed of. */
function busyLoops(number: number): Disposable {
  const loops = Array.from({ length: number }, () => spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }));
  return {
    [Symbol.dispose]() {
      for (const loop of loops) loop.kill("SIGKILL");
    },
  };
}

test("when many owners create the same name at once, one succeeds, the others are told that it is taken, and there is one key", async () => {
  const count = isLong ? 50 : 12;
  const before = stack.kms.keys().length;
  const tokens: string[] = [];
  // One after the other: the race is for the name.
  for (let index = 0; index < count; index++) {
    tokens.push(await consoleToken(stack, await signUp(stack, `racer-${index}@tenants.example`)));
  }
  using _loops = busyLoops(2);
  /** Who is answered too late repeats the request, as a program does that is told 503. */
  const answered = async (token: string): Promise<number> => {
    const key = randomUUID();
    let status = 503;
    while (status === 503) ({ status } = await createWith(token, "The race", key));
    return status;
  };
  const statuses = await Promise.all(tokens.map(answered));
  expect(statuses.sort()).toEqual([201, ...Array(count - 1).fill(409)]);
  expect(stack.kms.keys().length).toBe(before + 1);
});
