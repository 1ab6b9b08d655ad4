import { expect, test } from "@jest/globals";
import { joinEntry, profileEntries } from "../../../domain/people/sign-in-entries.ts";
import type { Profile } from "../../../domain/people/user.ts";
import { aMembership, aMoment } from "../../support/people/members.ts";

const profile: Profile = {
  sub: "ann",
  email: "ann@acme.test",
  approval_status: "pending",
  provider: "password",
  email_verified: true,
  created_at: aMoment,
};
let ids = 0;
const stamp = () => ({ id: `e${ids++}`, now: Date.parse(aMoment) });
const told = (...[before, after, joined]: [Profile | undefined, Profile, string[]]) =>
  profileEntries(before, after, joined, stamp).map(({ tenant_id, action, before, after }) => [
    tenant_id,
    action,
    before,
    after,
  ]);

test("joining a workspace is recorded in its audit trail, with the address and the provider", () => {
  const person = { sub: "ann", email: "ann@acme.test", isVerified: true, isApproved: true };
  const membership = aMembership({ sub: "ann", tenant_id: "t1", invited_at: aMoment });
  expect(joinEntry(membership, { ...person, provider: "Google", linked: [] }, stamp())).toMatchObject({
    tenant_id: "t1",
    actor: "ann",
    action: "user.join",
    target: "ann",
    after: { status: "active", email: "ann@acme.test", provider: "Google" },
  });
  expect(joinEntry(membership, { ...person, provider: "password", linked: ["Google"] }, stamp()).after).toMatchObject({
    linked: ["Google"],
  });
});

test("a first sign-in is recorded in the platform's audit trail, with the approval and its workspace", () => {
  const { sub: _sub, created_at: _at, ...state } = profile;
  expect(told(undefined, profile, [])).toEqual([["platform", "user.sign_up", undefined, state]]);
  const approved = { ...profile, approval_status: "approved" as const };
  expect(told(undefined, approved, ["t1"])).toEqual([
    ["platform", "user.sign_up", undefined, { ...state, approval_status: "approved", invited_to: ["t1"] }],
  ]);
});

test("an approval by the stack's rules at a later sign-in is recorded in the platform's audit trail", () => {
  expect(told(profile, { ...profile, approval_status: "approved" }, ["t1"])).toEqual([
    ["platform", "user.approve", { approval_status: "pending" }, { approval_status: "approved" }],
  ]);
});

test("linking a provider is recorded in the audit trails of the platform and of every workspace, at most a hundred", () => {
  const linked = { ...profile, linked: ["Google"] };
  expect(told(profile, linked, ["t1", "t2"])).toEqual(
    ["platform", "t1", "t2"].map((trail) => [trail, "user.link", { linked: [] }, { linked: ["Google"] }]),
  );
  expect(told(linked, { ...profile, linked: [] }, [])).toEqual([
    ["platform", "user.link", { linked: ["Google"] }, { linked: [] }],
  ]);
  const many = Array.from({ length: 200 }, (_, n) => `t${n}`);
  expect(told(profile, linked, many).length).toBeLessThan(100);
});

test("a sign-in with another address, or with nothing new, has no audit entry", () => {
  expect(told(profile, { ...profile, email: "new@acme.test" }, ["t1"])).toEqual([]);
});
