import { beforeEach, expect, test } from "@jest/globals";
import { approvePerson, requireApproved } from "../../../domain/workspace/approval.ts";
import { platformTrail } from "../../../domain/workspace/audit.ts";
import { syncUserOnSignIn } from "../../../domain/workspace/user.ts";
import { memoryStores } from "../../support/people/memory-stores.ts";

let stores: Awaited<ReturnType<typeof memoryStores>>;
beforeEach(async () => {
  stores = await memoryStores();
});

const signUp = (sub: string) =>
  syncUserOnSignIn(
    stores.users,
    { sub, email: `${sub}@people.test`, isVerified: true, isApproved: false },
    stores.time.now,
  );
const pending = async () =>
  (await stores.approvals.pending({ limit: 10, after: undefined })).items.map(({ sub }) => sub);

test("a person who signed up alone is pending until an administrator approves, which the platform's trail tells once", async () => {
  for (const sub of ["p1", "p2"]) await signUp(sub);
  expect(await pending()).toEqual(["p1", "p2"]);
  for (let time = 0; time < 2; time++) {
    expect(await approvePerson(stores, "root", "p2")).toMatchObject({ sub: "p2", approval_status: "approved" });
  }
  expect(await pending()).toEqual(["p1"]);
  expect(await stores.trail(platformTrail)).toMatchObject([
    {
      actor: "root",
      action: "user.approve",
      target: "p2",
      before: { approval_status: "pending" },
      after: { approval_status: "approved" },
    },
  ]);
  await expect(approvePerson(stores, "root", "nobody")).rejects.toMatchObject({ code: "not_found" });
});

test("only where approval is manual does a person need it", async () => {
  await signUp("p1");
  await requireApproved(stores.users, "automatic", "p1");
  await expect(requireApproved(stores.users, "manual", "p1")).rejects.toMatchObject({ code: "approval_pending" });
  await approvePerson(stores, "root", "p1");
  await requireApproved(stores.users, "manual", "p1");
});
