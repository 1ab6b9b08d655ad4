// Test clocks. The local account has the stack's clock alone: a test clock moves that one, and never back. Deleting it deletes its customers.
import * as z from "zod";
import type { Account } from "./account.ts";
import { deleteCustomer } from "./customers.ts";
import { endpoint, listing, nothing, retrieval } from "./endpoint.ts";
import { newId, type TestClock } from "./objects.ts";
import { int } from "./parameters.ts";
import { invalidRequest, known } from "./refusal.ts";

const url = "/v1/test_helpers/test_clocks";
const name = "testHelpers.testClocks";

export const testClocks = [
  endpoint(
    ["POST", url],
    `${name}.create`,
    z.strictObject({ frozen_time: int, name: z.string().max(300).optional() }),
    (given, { account }) => {
      if (given.frozen_time < account.now()) throw isPast(account);
      account.advanceTo(given.frozen_time);
      return kept(account, {
        id: newId("clock"),
        object: "test_helpers.test_clock",
        ...given,
        status: "ready",
      } as TestClock);
    },
  ),
  listing(url, name, [], ({ testClocks }) => testClocks.all()),
  // A clock that was advanced is ready some time later.
  retrieval(url, name, "testclock", (account, id) => kept(account, { ...clockById(account, id), status: "ready" })),
  endpoint(
    ["POST", `${url}/:id/advance`],
    `${name}.advance`,
    z.strictObject({ frozen_time: int }),
    ({ frozen_time }, { account, path }) => {
      const clock = clockById(account, path.id);
      account.advanceTo(frozen_time);
      return kept(account, { ...clock, frozen_time, status: "advancing" });
    },
  ),
  endpoint(["DELETE", `${url}/:id`], `${name}.del`, nothing, (_, { account, path }) => {
    const { id } = clockById(account, path.id);
    for (const { customer, deleted } of account.customers.all()) {
      if (customer.test_clock === id && !deleted) deleteCustomer(account, customer.id);
    }
    account.testClocks.delete(id);
    return { id, object: "test_helpers.test_clock", deleted: true };
  }),
];

/** Stripe takes any time; the local stack's one clock never goes back. */
function isPast(account: Account) {
  const now = new Date(account.now() * 1000).toISOString();
  return invalidRequest(`The local stack's clock is at ${now}, and never goes back: begin with a fresh stack.`, {
    param: "frozen_time",
  });
}

function kept(account: Account, clock: TestClock): TestClock {
  account.testClocks.put(clock.id, clock);
  return clock;
}

function clockById(account: Account, id = ""): TestClock {
  return known(account.testClocks.get(id), "testclock", id);
}
