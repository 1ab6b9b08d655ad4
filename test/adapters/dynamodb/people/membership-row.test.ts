import { expect, test } from "@jest/globals";
import { membershipOf } from "../../../../adapters/dynamodb/people/membership-row.ts";
import { aMembership } from "../../../support/people/members.ts";

const active = aMembership({ sub: "ann", tenant_id: "t1", status: "active" });

test("a row is its membership", () => {
  expect(membershipOf({ pk: "USER#ann", sk: "TENANT#t1", ...active })).toEqual(active);
  expect(membershipOf(undefined)).toBeUndefined();
});

test("a member who was removed stays removed, whatever a sign-in makes of the status", () => {
  const revived = { ...active, removed_at: "2026-11-21T05:00:00.000Z" };
  expect(membershipOf(revived)).toEqual({ ...revived, status: "removed" });
});
