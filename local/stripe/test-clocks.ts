// Test clocks. The local account has the stack's clock alone: a test clock moves that one, and never back. Deleting it deletes its customers.
import * as z from "zod";
import type { Account } from "./account.ts";
import { deleteCustomer } from "./customers.ts";
import { endpoint } from "./endpoint.ts";
import { newId } from "./ids.ts";
import { listOf } from "./lists.ts";
import type { TestClock } from "./objects.ts";
import { int, page } from "./parameters.ts";
import { missing } from "./refusal.ts";

const path = "/v1/test_helpers/test_clocks";

export const testClocks = [
  endpoint(
    ["POST", path],
    "testHelpers.testClocks.create",
    z.strictObject({ frozen_time: int, name: z.string().max(300).optional() }),
    ({ frozen_time, name = null }, { account }) => {
      account.advanceTo(frozen_time);
      return kept(account, {
        id: newId("clock"),
        object: "test_helpers.test_clock",
        created: account.now(),
        frozen_time,
        livemode: false,
        name,
        status: "ready",
      } as TestClock);
    },
  ),
  endpoint(["GET", path], "testHelpers.testClocks.list", z.strictObject(page), (page, { account }) =>
    listOf(path, account.testClocks.all(), page),
  ),
  // A clock that was advanced is ready some time later.
  endpoint(["GET", `${path}/:id`], "testHelpers.testClocks.retrieve", z.strictObject({}), (_, { account, path }) =>
    kept(account, { ...clockById(account, path.id), status: "ready" }),
  ),
  endpoint(
    ["POST", `${path}/:id/advance`],
    "testHelpers.testClocks.advance",
    z.strictObject({ frozen_time: int }),
    ({ frozen_time }, { account, path }) => {
      const clock = clockById(account, path.id);
      account.advanceTo(frozen_time);
      return kept(account, { ...clock, frozen_time, status: "advancing" });
    },
  ),
  endpoint(["DELETE", `${path}/:id`], "testHelpers.testClocks.del", z.strictObject({}), (_, { account, path }) => {
    const { id } = clockById(account, path.id);
    for (const { customer, deleted } of account.customers.all()) {
      if (customer.test_clock === id && !deleted) deleteCustomer(account, customer.id);
    }
    account.testClocks.delete(id);
    return { id, object: "test_helpers.test_clock", deleted: true };
  }),
];

function kept(account: Account, clock: TestClock): TestClock {
  account.testClocks.put(clock.id, clock);
  return clock;
}

function clockById(account: Account, id = ""): TestClock {
  const clock = account.testClocks.get(id);
  if (!clock) throw missing("testclock", id);
  return clock;
}
