import { expect, test } from "@jest/globals";
import { membershipRecord } from "../../../../adapters/dynamodb/people/user.record.ts";
import { aMembership } from "../../../support/people/members.ts";

const active = aMembership({ sub: "ann", tenant_id: "t1", status: "active" });

test("the row of a membership is read as the membership that was written", () => {
  expect(membershipRecord.parse({ pk: "USER#ann", sk: "TENANT#t1", ...active })).toEqual(active);
  expect(membershipRecord.parse(undefined)).toBeUndefined();
});

test("a removed member stays removed, even if a sign-in sets the status", () => {
  const revived = { ...active, removed_at: "2026-11-21T05:00:00.000Z" };
  expect(membershipRecord.parse(revived)).toEqual({ ...revived, status: "removed" });
});
