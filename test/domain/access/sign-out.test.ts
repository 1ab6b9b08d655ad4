import { beforeEach, describe, expect, test } from "@jest/globals";
import { appClients } from "../../../domain/access/app-client.ts";
import type { Claims, TokenVerifier } from "../../../domain/access/credential.ts";
import { currentTokens, signOutEverywhere, signOutRetention } from "../../../domain/access/sign-out.ts";
import type { AuditEntry } from "../../../domain/workspace/audit.ts";
import { aMembership } from "../../support/people/members.ts";

const at = Date.parse("2026-11-23T10:00:00.700Z");
const second = Math.floor(at / 1000);

let now: number;
let noted: Map<string, number>;
let reads: string[];
let tokens: TokenVerifier;
beforeEach(() => {
  now = at;
  noted = new Map();
  reads = [];
  const signOuts = {
    async of(sub: string) {
      reads.push(sub);
      return noted.get(sub);
    },
  };
  const plain = { verify: async (token: string) => JSON.parse(token) as Claims };
  tokens = currentTokens({ tokens: plain, signOuts, clock: () => now });
});

const verify = (auth_time: number | undefined, sub = "ann") =>
  tokens.verify(JSON.stringify({ sub, client_id: "c", exp: 0, auth_time }));
const ended = {
  code: "credential_ended",
  message: "This sign-in was ended at 2026-11-23T10:00:00.700Z, sign in again",
};

describe("a token", () => {
  test("a token of a sign-in before the sign-out is refused although it is valid; a token of a later sign-in or of another person is accepted", async () => {
    noted.set("ann", at);
    await expect(verify(second - 1)).rejects.toMatchObject(ended);
    expect(await verify(second)).toMatchObject({ sub: "ann" });
    expect(await verify(second + 1)).toMatchObject({ sub: "ann" });
    expect(await verify(second - 1, "ben")).toMatchObject({ sub: "ben" });
  });

  test("a token without the time of the sign-in is refused after a sign-out, and accepted if there was none", async () => {
    expect(await verify(undefined, "ben")).toMatchObject({ sub: "ben" });
    noted.set("ann", at);
    await expect(verify(undefined)).rejects.toMatchObject(ended);
  });

  test("a token that was seen before is refused within a minute of the sign-out, at the price of one read for each minute and person", async () => {
    await verify(second - 1);
    noted.set("ann", at);
    now += 59_999;
    await verify(second - 1);
    now += 1;
    await expect(verify(second - 1)).rejects.toMatchObject(ended);
    await expect(verify(second - 1)).rejects.toMatchObject(ended);
    expect(reads).toEqual(["ann", "ann"]);
  });

  test("an invalid token causes no read of sign-outs", async () => {
    await expect(tokens.verify("junk")).rejects.toThrow();
    expect(reads).toEqual([]);
  });
});

describe("signing out everywhere", () => {
  const told: AuditEntry[] = [];
  const memberships = [
    aMembership({ sub: "ann", tenant_id: "t1", status: "active" }),
    aMembership({ sub: "ann", tenant_id: "t2", status: "active" }),
    aMembership({ sub: "ann", tenant_id: "left", status: "removed" }),
    aMembership({ sub: "ann", tenant_id: "invited" }),
  ];
  const deps = {
    signOuts: {
      put: async (sub: string, time: number, entries: readonly AuditEntry[] = []) => {
        noted.set(sub, time);
        told.push(...entries);
      },
    },
    users: { record: async () => ({ profile: undefined, memberships, activeTenants: {} }) },
    accounts: { endSignIns: async () => {} },
    clock: () => at,
    newId: () => "id",
  };
  beforeEach(() => void told.splice(0));

  test("signing out everywhere stores the time before the identity provider is called, so that a failure there lets no earlier token through", async () => {
    const accounts = { endSignIns: () => Promise.reject(new Error("no answer")) };
    await expect(signOutEverywhere({ ...deps, accounts }, "ann")).rejects.toThrow("no answer");
    expect(noted.get("ann")).toBe(at);
  });

  test("signing out everywhere is recorded in the audit trail of each of the person's workspaces", async () => {
    await signOutEverywhere(deps, "ann");
    expect(told.map(({ tenant_id, action, actor, target }) => [tenant_id, action, actor, target])).toEqual([
      ["t1", "user.sign_out", "ann", "ann"],
      ["t2", "user.sign_out", "ann", "ann"],
    ]);
  });

  test("signing out everywhere is recorded in 90 audit trails at most: a transaction of the table takes no more", async () => {
    const many = Array.from({ length: 91 }, (_, n) =>
      aMembership({ sub: "ann", tenant_id: `t${n}`, status: "active" }),
    );
    const record = async () => ({ profile: undefined, memberships: many, activeTenants: {} });
    await signOutEverywhere({ ...deps, users: { record } }, "ann");
    expect(told).toHaveLength(90);
  });
});

test("the time of a sign-out is kept for longer than any sign-in lasts", () => {
  const longest = Math.max(...Object.values(appClients).map(({ refreshHours }) => refreshHours));
  expect(signOutRetention.days * 24).toBeGreaterThan(longest);
});
