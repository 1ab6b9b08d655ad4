// The rule of places for keys (domain/keys/key-place.ts) and the store's conditions decide alike, in whatever state the rows are.
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { activeKeysRecord } from "../../../../adapters/dynamodb/keys/active-keys.record.ts";
import { apiKeyRecord } from "../../../../adapters/dynamodb/keys/api-key.record.ts";
import { apiKeyStore } from "../../../../adapters/dynamodb/keys/api-keys.ts";
import { serviceAccountsRecord } from "../../../../adapters/dynamodb/keys/service-accounts.record.ts";
import { membershipRecord } from "../../../../adapters/dynamodb/people/user.record.ts";
import { rowsOf } from "../../../../adapters/dynamodb/rows.ts";
import { hasAccountPlace, hasKeyPlace, maxActiveKeys } from "../../../../domain/keys/key-place.ts";
import { rotation } from "../../../../domain/keys/key-rotation.ts";
import { memoryClient } from "../../../support/memory-dynamodb/document-client.ts";
import { MemoryTable } from "../../../support/memory-dynamodb/memory-table.ts";
import { aKey, anEntry } from "../../../support/people/api-keys.ts";
import { aMembership } from "../../../support/people/members.ts";

const now = Date.parse("2026-11-21T05:00:00.000Z");
const iso = (time: number) => new Date(time).toISOString();

/** The end of a key: none, over, at this very moment, or ahead. Most are ahead, so that many states are nearly full. */
const end = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(undefined, now + 1, now + 86_400_000) },
  { weight: 1, arbitrary: fc.constantFrom(now, now - 1, now - 86_400_000) },
);
const state = fc.record({
  ends: fc.oneof(
    fc.array(end, { minLength: maxActiveKeys - 3, maxLength: maxActiveKeys }),
    fc.array(end, { maxLength: maxActiveKeys }),
  ),
  version: fc.integer({ min: 1, max: 1_000 }),
});
type State = { ends: (number | undefined)[]; version: number };

/** A table in which Ann has keys with these ends, and the store over it. */
function storeWith({ ends, version }: State) {
  const table = new MemoryTable();
  const ids = ends.map((_, number) => `k${number}`);
  table.put({
    ...membershipRecord.key({ sub: "ann", tenant_id: "t1" }),
    ...aMembership({ sub: "ann", tenant_id: "t1", status: "active" }),
  });
  if (ends.length > 0) {
    const places = Object.fromEntries(
      ends.map((one, number) => [`k#k${number}`, one === undefined ? "never" : iso(one)]),
    );
    table.put({
      ...activeKeysRecord.key({ tenant_id: "t1", caller_id: "ann" }),
      active: ends.length,
      version,
      ...places,
    });
  }
  for (const [number, id] of ids.entries()) {
    const expires = ends[number];
    const { expires_at: _, ...key } = aKey(id);
    table.put({
      ...apiKeyRecord.key({ key_id: id }),
      ...key,
      ...(expires !== undefined && { key_expires_at: iso(expires) }),
    });
  }
  return { table, store: apiKeyStore(rowsOf(memoryClient(table), "main")) };
}

const endsOf = ({ ends }: State) => ends.map((one) => (one === undefined ? undefined : iso(one)));
const activeIn = (table: MemoryTable) => table.get(activeKeysRecord.key({ tenant_id: "t1", caller_id: "ann" }))?.active;

test("a key is created exactly if its caller has a place", async () => {
  await fc.assert(
    fc.asyncProperty(state, async (one) => {
      const { table, store } = storeWith(one);
      const created = await store.create(aKey("new", { created_at: iso(now) }), 100, anEntry());
      expect(created).toBe(hasKeyPlace(endsOf(one), now) ? "created" : "full");
      expect(activeIn(table) ?? 0).toBeLessThanOrEqual(maxActiveKeys);
    }),
    { numRuns: 300 },
  );
});

test("a key is rotated exactly if its caller has a place for the new key while the old one is still valid", async () => {
  await fc.assert(
    fc.asyncProperty(state, fc.constantFrom(0, 3_600), async ({ ends, version }, overlap_seconds) => {
      const one = { ends: [undefined, ...ends.slice(1)], version };
      const { table, store } = storeWith(one);
      const made = { key_id: "new", hash: "hash of new", last4: "wxyz", created_by: "ann" };
      const change = rotation(aKey("k0"), made, { overlap_seconds }, now);
      const afterwards = [change.oldEndsAt, ...endsOf(one).slice(1)];
      const rotated = await store.rotate(change, now, anEntry());
      expect(rotated).toBe(hasKeyPlace(afterwards, now) ? "rotated" : "full");
      expect(activeIn(table)).toBeLessThanOrEqual(maxActiveKeys);
    }),
    { numRuns: 300 },
  );
});

test("a service account is created exactly if its workspace has a place", async () => {
  const accounts = fc.integer({ min: 0, max: 6 });
  // Every stack allows at least one (components/config.ts).
  const most = fc.integer({ min: 1, max: 6 });
  await fc.assert(
    fc.asyncProperty(accounts, most, async (there, max) => {
      const { table, store } = storeWith({ ends: [], version: 1 });
      if (there > 0) table.put({ ...serviceAccountsRecord.key({ tenant_id: "t1" }), accounts: there });
      const key = aKey("new", { role: "service_account", caller_id: "sa_new" });
      const created = await store.create(key, max, anEntry());
      expect(created).toBe(hasAccountPlace(there, max) ? "created" : "full");
    }),
    { numRuns: 100 },
  );
});
