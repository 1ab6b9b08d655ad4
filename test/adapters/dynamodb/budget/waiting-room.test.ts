// The places of those who wait, over the embedded DynamoDB.
import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { waitingRoomRecord } from "../../../../adapters/dynamodb/budget/waiting-room.record.ts";
import { waitingRoom } from "../../../../adapters/dynamodb/budget/waiting-room.ts";
import { now, openSpendingTable, type SpendingTable } from "../../../support/accounting/spending-table.ts";

let table: SpendingTable;
let time: number;
beforeAll(async () => {
  table = await openSpendingTable();
});
beforeEach(async () => {
  time = now;
  await table.quick.send(
    new DeleteCommand({ TableName: table.tableName, Key: waitingRoomRecord.key({ tenant_id: tenantId }) }),
  );
});
afterEach(() => table.strike());
afterAll(() => table.close());

const until = now + 125_000;
const tenantId = "acme";

/** The tenant's room. */
function room(places: number, of = tenantId) {
  const { enter, leave } = waitingRoom({
    client: table.quick,
    tableName: table.tableName,
    places,
    clock: () => time,
  });
  return {
    enter: (requestId: string, until: number) => enter(of, requestId, until),
    leave: (requestId: string) => leave(of, requestId),
  };
}

/** Who is in the room, as the item says, and how many it counts. */
async function occupants() {
  const {
    pk: _pk,
    sk: _sk,
    waiting,
    expires_at: _end,
    ...places
  } = (await table.read(waitingRoomRecord.key({ tenant_id: tenantId }))) ?? {};
  expect(Object.keys(places)).toHaveLength(Number(waiting ?? 0));
  return Object.keys(places).map((name) => name.slice(2));
}

describe("a waiting room", () => {
  test("a waiting room has the given number of places, and a call that leaves makes room", async () => {
    const { enter, leave } = room(2);
    expect(await enter("a", until)).toBe(true);
    expect(await enter("b", until)).toBe(true);
    expect(await enter("c", until)).toBe(false);
    await leave("a");
    expect(await enter("c", until)).toBe(true);
    expect(await occupants()).toEqual(["b", "c"]);
  });

  test("a full waiting room refuses no other tenant, and two tenants write no common item", async () => {
    expect(await room(1).enter("a", until)).toBe(true);
    expect(await room(1).enter("b", until)).toBe(false);
    expect(await room(1, "another").enter("c", until)).toBe(true);
    expect(await occupants()).toEqual(["a"]);
    await room(1, "another").leave("c");
  });

  test("a waiting room's item expires a day after its last place was free", async () => {
    await room(2).enter("a", until);
    await room(2).enter("b", until + 1_000);
    const { expires_at } = (await table.read(waitingRoomRecord.key({ tenant_id: tenantId }))) ?? {};
    expect(expires_at).toBe(Math.ceil((until + 1_000) / 1000) + 24 * 3600);
  });

  test("a waiting room's item is created by the first call that enters", async () => {
    const { enter } = room(1);
    expect(await enter("a", until)).toBe(true);
  });

  test("a waiting room with no places admits no call, and does not call the store", async () => {
    table.calls.length = 0;
    expect(await room(0).enter("a", until)).toBe(false);
    expect(table.calls).toEqual([]);
  });

  test("a call that is already in the waiting room is admitted without taking another place", async () => {
    const { enter } = room(1);
    expect([await enter("a", until), await enter("a", until)]).toEqual([true, true]);
    expect(await occupants()).toEqual(["a"]);
  });

  test("a call leaves a waiting room once, and a call outside it cannot leave", async () => {
    const { enter, leave } = room(3);
    await enter("a", until);
    await enter("b", until);
    for (const id of ["a", "a", "nobody"]) await leave(id);
    expect(await occupants()).toEqual(["b"]);
  });

  test("a waiting room never has more calls than places, even with many simultaneous calls", async () => {
    const { enter } = room(5);
    const entered = await Promise.all(Array.from({ length: 20 }, (_, index) => enter(`r${index}`, until)));
    expect(entered.filter(Boolean)).toHaveLength(5);
    expect(await occupants()).toHaveLength(5);
  });

  test("a waiting room uses a lower or higher number of places at once", async () => {
    for (const id of ["a", "b", "c"]) await room(3).enter(id, until);
    expect(await room(2).enter("d", until)).toBe(false);
    expect(await room(4).enter("d", until)).toBe(true);
  });
});

describe("the place of a function that died", () => {
  beforeEach(async () => {
    await room(2).enter("dead", until);
    await room(2).enter("alive", until + 1);
  });

  test("the place of a dead function is taken until its time is over, and then goes to the next call that finds the room full", async () => {
    time = until;
    expect(await room(2).enter("next", until)).toBe(false);
    time = until + 1;
    expect(await room(2).enter("next", until + 60_000)).toBe(true);
    expect(await occupants()).toEqual(["alive", "next"]);
  });

  test("the place of a dead function is given to only one of many calls that find it", async () => {
    time = until + 1;
    const entered = await Promise.all(["x", "y", "z"].map((id) => room(2).enter(id, until + 60_000)));
    expect(entered.filter(Boolean)).toHaveLength(1);
    expect(await occupants()).toHaveLength(2);
  });
});

describe("when the answer is lost", () => {
  const cut = { operation: "UpdateItem", when: "after", kind: "cut" } as const;

  test("a call that enters a waiting room is counted once if the answer is lost", async () => {
    table.strike(cut);
    expect(await room(1).enter("a", until)).toBe(true);
    expect(await occupants()).toEqual(["a"]);
  });

  test("a call that leaves a waiting room is removed once if the answer is lost", async () => {
    await room(2).enter("a", until);
    await room(2).enter("b", until);
    table.strike(cut);
    await room(2).leave("a");
    expect(await occupants()).toEqual(["b"]);
  });

  test("entering a waiting room is an outage if answers are lost without end, and the place is free when its time is over", async () => {
    table.strike(cut, { ...cut, when: "before", nth: 2, times: 9 });
    await expect(room(1).enter("a", until)).rejects.toMatchObject({ code: "store_unavailable" });
    table.strike();
    time = until + 1;
    expect(await room(1).enter("b", until + 60_000)).toBe(true);
    expect(await occupants()).toEqual(["b"]);
  });
});
