// What follows a call's answer: its settlement and, after that, the note of when its key was used.
import { beforeEach, describe, expect, test } from "@jest/globals";
import { aGrant } from "../../support/accounting/admissions.ts";
import { settle } from "../../support/fake-time.ts";
import { openProxy, question, type TestProxy } from "../../support/proxy.ts";

let proxy: TestProxy;
let pending: (() => void)[];
let noted: string[];
beforeEach(() => {
  pending = [];
  noted = [];
  const put = (keyId: string) =>
    new Promise<void>((resolve) => {
      noted.push(keyId);
      pending.push(resolve);
    });
  proxy = openProxy({ lastUses: { put } });
});

const withKey = (key: string) => ({ headers: { authorization: undefined, "x-api-key": key } });
const spentOf = () => proxy.spendingOf("sa_1");

describe("the use of a key", () => {
  test.each([true, false])(
    "a key's last use is stored once the call is settled, after its answer has ended (stream: %s)",
    async (stream) => {
      const answer = proxy.send({ ...withKey(await proxy.issueKey()), body: { ...question, stream } });
      await answer.ended;
      await settle();
      expect(answer.status).toBe(200);
      expect(noted).toHaveLength(1);
      expect(spentOf()).toMatchObject({ inflight: 0, reservations: [] });
      expect(spentOf().spent).toBeGreaterThan(0);
      for (const finish of pending) finish();
      await answer.settled;
    },
  );

  test("the ledger row of a call with a key has the key's id, and that of a call with a token has none", async () => {
    proxy = openProxy();
    const byKey = await proxy.ask(withKey(await proxy.issueKey()));
    const byToken = await proxy.ask();
    expect(proxy.rowOf(byKey.requestId)?.key_id).toBe([...proxy.keys.keys()][0]);
    expect(proxy.rowOf(byToken.requestId)?.key_id).toBeUndefined();
  });

  test("a key's last use is also stored for a call that is refused for its body or its budget", async () => {
    proxy = openProxy();
    const key = await proxy.issueKey();
    const poor = await proxy.issueKey({ caller_id: "sa_2", grant: aGrant({ monthly_budget_usd: 0.000000001 }) });
    expect((await proxy.ask({ ...withKey(key), body: {} })).status).toBe(400);
    await proxy.ask(withKey(poor));
    await proxy.ask(withKey(poor));
    expect(proxy.uses.map(([keyId]) => keyId)).toEqual([...proxy.keys.keys()]);
  });

  test("a key's last use is not stored if the key is refused: at another workspace, revoked, or expired", async () => {
    const keys = [
      await proxy.issueKey({ tenant_id: "another" }),
      await proxy.issueKey({ status: "revoked" }),
      await proxy.issueKey({ expires_at: "2020-01-01T00:00:00.000Z" }),
    ];
    for (const key of keys) expect((await proxy.ask(withKey(key))).status).toBeGreaterThanOrEqual(401);
    expect(noted).toEqual([]);
  });

  test("a call with a token stores no last use of a key", async () => {
    expect((await proxy.ask()).status).toBe(200);
    expect(noted).toEqual([]);
  });
});
