import { describe, expect, test } from "@jest/globals";
import {
  approvalOf,
  environmentDigest,
  type ReferredSecret,
  secretInEffect,
  secretsInEffect,
} from "../../../domain/skills/approval.ts";
import type { Environment } from "../../../domain/skills/environment.ts";

const set = { set_by: "dev", set_at: "2026-11-23T10:00:00.000Z" };
const env: Environment = { JIRA_URL: { value: "https://jira.example", ...set }, TOKEN: { secret: "JIRA", ...set } };
const secret: ReferredSecret = {
  ...{ name: "JIRA", secret_id: "s1", value_id: "v1", set_by: "dev", updated_at: set.set_at, sealed: "first" },
};
const approved = { tenant_id: "t", name: "weekly-report", version: 1, env, approved_by: "owner" };

describe("the digest of an environment", () => {
  const digest = environmentDigest(env, [secret]);

  test("the digest of an environment does not depend on the order of variables and secrets, nor on when they were set", () => {
    const turned = Object.fromEntries(Object.entries(env).toReversed()) as Environment;
    const other = { ...secret, name: "OTHER" };
    expect(environmentDigest(turned, [other, { ...secret, updated_at: "2026-11-24T10:00:00.000Z" }])).toBe(digest);
    expect(
      environmentDigest({ ...env, JIRA_URL: { value: "https://jira.example", set_by: "dev", set_at: "later" } }, [
        secret,
      ]),
    ).toBe(digest);
  });

  test.each<[string, Environment, ReferredSecret[]]>([
    ["another value", { ...env, JIRA_URL: { value: "https://evil.example", ...set } }, [secret]],
    [
      "the same value by another person",
      { ...env, JIRA_URL: { value: "https://jira.example", set_by: "eve", set_at: "" } },
      [secret],
    ],
    ["another secret", { ...env, TOKEN: { secret: "OTHER", ...set } }, [secret, { ...secret, name: "OTHER" }]],
    ["a text that names the secret", { ...env, TOKEN: { value: "JIRA", ...set } }, [secret]],
    ["another value of the secret", env, [{ ...secret, value_id: "v2" }]],
    ["another secret of the same name", env, [{ ...secret, secret_id: "s2" }]],
    ["the same value of the secret by another person", env, [{ ...secret, set_by: "eve" }]],
    ["no such secret", env, []],
    ["one variable more", { ...env, MODE: { value: "", ...set } }, [secret]],
    ["one variable less", { TOKEN: { secret: "JIRA", ...set } }, [secret]],
  ])("is another one with %s", (_, changed, secrets) => {
    expect(environmentDigest(changed, secrets)).not.toBe(digest);
  });
});

describe("the secret that an approved script gets", () => {
  const approval = approvalOf(approved, [secret]);
  const inEffect = (current: ReferredSecret | undefined) => secretInEffect(approval, "JIRA", current)?.sealed;

  test("the approved script gets the approved value after another person's change, and the new value after the owner's change", () => {
    expect(inEffect(secret)).toBe("first");
    expect(inEffect({ ...secret, value_id: "v2", sealed: "second" })).toBe("first");
    expect(inEffect({ ...secret, value_id: "v2", set_by: "owner", sealed: "second" })).toBe("second");
  });

  test("the approved script gets no secret if it was removed, or if another one has its name", () => {
    expect(inEffect(undefined)).toBeUndefined();
    expect(inEffect({ ...secret, secret_id: "s2" })).toBeUndefined();
    expect(inEffect({ ...secret, secret_id: "s2", set_by: "owner" })).toBeUndefined();
    expect(secretsInEffect(approval, [])).toEqual([]);
  });

  test("the approved script gets no secret that did not exist when the environment was approved", () => {
    expect(secretInEffect(approvalOf(approved, []), "JIRA", secret)).toBeUndefined();
  });

  test("the approval keeps the secret's value unless the owner set it", () => {
    expect(approval.secrets.JIRA?.sealed).toBe("first");
    const own = approvalOf(approved, [{ ...secret, set_by: "owner" }]);
    expect(own.secrets.JIRA).not.toHaveProperty("sealed");
    expect(secretInEffect(own, "JIRA", { ...secret, set_by: "owner" })?.sealed).toBe("first");
  });
});
