import { beforeEach, describe, expect, test } from "@jest/globals";
import type { Reserved } from "../../../domain/budget/admitted.ts";
import { Lease } from "../../../domain/budget/lease.ts";
import type { Reservation } from "../../../domain/budget/reservation.ts";
import { type ChangeWrite, type Limits, nothingSpent, type Written } from "../../../domain/budget/spending.ts";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import { FakeTime } from "../../support/fake-time.ts";

const key = { tenantId: "t1", callerId: "dev", month: "2026-11" };
const limits: Limits = { cap: 1_000, enforcement: "reserved", maxInFlight: 8, rate: { burst: 9, perMinute: 60 } };

let time: FakeTime;
let standing: Reservation | undefined;
let writes: { kind: "change" | "moveIn"; from: number; to: Reservation }[];
/** What comes of the next writes; by default they hold. */
let fates: ("held" | "failed" | "lost")[];
let room: number;
let problems: { message: string; facts: object; error?: unknown }[];
const log = {
  problem: (message: string, facts: Record<string, unknown>, error?: unknown) => {
    problems.push({ message, facts, error });
  },
};

beforeEach(() => {
  problems = [];
  time = new FakeTime();
  writes = [];
  fates = [];
  room = 1_000;
});

function aReservation(changes: Partial<Reservation> = {}): Reservation {
  return {
    requestId: "r1",
    amount: 500,
    version: 0,
    leaseEndsAt: time.clock() + 80_000,
    overdraft: false,
    admittedAt: time.clock(),
    profile: "eu.anthropic.claude-sonnet-5",
    region: "eu-central-1",
    bounds: { input: 400, output: 100 },
    onCredit: false,
    ...changes,
  };
}

function stateNow(written: boolean): Written {
  return { written, spending: { ...nothingSpent, reservations: standing ? [standing] : [] } };
}

/** A store of one reservation: a write holds at its version alone. */
async function write(kind: "change" | "moveIn", { from, to }: ChangeWrite): Promise<Written> {
  writes.push({ kind, from: from.version, to });
  const fate = fates.shift() ?? "held";
  const holds = fate !== "failed" && standing?.version === from.version && (kind === "change" || to.amount <= room);
  if (holds) standing = to;
  if (fate === "lost") throw new Refusal("store_unavailable", "no answer");
  return stateNow(holds);
}

function leaseOf(reservation: Reservation, changes: Partial<Reserved> = {}, known?: () => number): Lease {
  standing = reservation;
  const admitted = {
    key,
    limits,
    spending: nothingSpent,
    credit: undefined,
    reservation,
    answerLost: false,
    ...changes,
  };
  const spending = {
    change: (each: ChangeWrite) => write("change", each),
    moveIn: (each: ChangeWrite) => write("moveIn", each),
  };
  return new Lease({ spending, log, clock: time.clock, schedule: time.schedule }, admitted, known);
}

describe("a true-up", () => {
  test("a true-up gives back the part of the input that turns out not to cost anything, if it is worth a write: more than 1 % of the cap", async () => {
    const lease = leaseOf(aReservation());
    lease.trueUp(490, 390);
    await time.advance(0);
    expect(await lease.end()).toMatchObject({ reservation: { amount: 500, version: 0 } });
    expect(writes).toEqual([]);
    const other = leaseOf(aReservation());
    other.trueUp(489, 390);
    await time.advance(0);
    expect(await other.end()).toMatchObject({ reservation: { amount: 489, bounds: { input: 390 }, version: 1 } });
  });

  test("a true-up frees nothing for others, and is not written, where only what is spent counts", async () => {
    const lease = leaseOf(aReservation(), { limits: { ...limits, enforcement: "spent" } });
    lease.trueUp(1, 1);
    await time.advance(0);
    expect(writes).toEqual([]);
    await lease.end();
  });

  test("a true-up never raises a reservation", async () => {
    const lease = leaseOf(aReservation({ overdraft: true }));
    lease.trueUp(900, 900);
    await time.advance(0);
    expect((await lease.end()).reservation).toMatchObject({ amount: 500, bounds: { input: 400, output: 100 } });
  });

  test("a true-up on free credit is worth a write from 1 % of the credit's tokens, with or without a budget", async () => {
    const credit = { granted: 10_000, spent: 0, committed: 0, reservations: [] };
    const unlimited = { ...limits, cap: undefined };
    const bounds = { input: 400, output: 100 };
    for (const [input, count] of [
      [300, 0],
      [299, 1],
    ] as const) {
      writes = [];
      const lease = leaseOf(aReservation({ onCredit: true, bounds }), { credit, limits: unlimited });
      lease.trueUp(400, input);
      await time.advance(0);
      await lease.end();
      expect(writes).toHaveLength(count);
    }
  });

  test("a true-up moves an overdraft into the budget if it fits, and keeps the overdraft otherwise", async () => {
    const fitting = leaseOf(aReservation({ overdraft: true }));
    fitting.trueUp(400, 300);
    await time.advance(0);
    expect((await fitting.end()).reservation).toMatchObject({ overdraft: false, amount: 400 });
    room = 399;
    const tooLarge = leaseOf(aReservation({ overdraft: true }));
    tooLarge.trueUp(400, 300);
    await time.advance(0);
    expect((await tooLarge.end()).reservation).toMatchObject({ overdraft: true, amount: 400 });
    expect(writes.map(({ kind }) => kind)).toEqual(["moveIn", "moveIn", "change"]);
  });
});

describe("a lease", () => {
  test("the renewal of a lease keeps what a true-up frees at the same time", async () => {
    const reservation = aReservation();
    standing = reservation;
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const change = async (each: ChangeWrite) => {
      if (each.from.version === 0) await answered;
      return write("change", each);
    };
    const spending = { change, moveIn: change };
    const admitted = { key, limits, spending: nothingSpent, credit: undefined, reservation, answerLost: false };
    const lease = new Lease({ spending, log, clock: time.clock, schedule: time.schedule }, admitted);
    lease.trueUp(300, 200);
    await time.advance(40_000);
    answer();
    await time.advance(0);
    expect((await lease.end()).reservation).toMatchObject({ amount: 300, bounds: { input: 200 }, version: 2 });
  });

  test("a lease is renewed every 40 s for the following 80 s, until it ends", async () => {
    const lease = leaseOf(aReservation());
    await time.advance(39_999);
    expect(writes).toEqual([]);
    await time.advance(1);
    await time.advance(40_000);
    expect(writes.map(({ from, to }) => [from, to.leaseEndsAt - time.clock()])).toEqual([
      [0, 40_000],
      [1, 80_000],
    ]);
    await lease.end();
    await time.advance(400_000);
    expect(writes).toHaveLength(2);
    expect(time.waiting).toBe(0);
  });

  test("a lease names the region that the call went to, in its next write and in what is settled, whatever became of the write", async () => {
    const place = { region: "us-east-1", profile: "us.anthropic.claude-sonnet-5" };
    const lease = leaseOf(aReservation());
    lease.moveTo(place);
    expect(writes).toEqual([]);
    await time.advance(40_000);
    expect(writes).toMatchObject([{ to: place }]);
    for (const fate of ["held", "failed", "lost"] as const) {
      const other = leaseOf(aReservation());
      fates = [fate];
      other.moveTo(place);
      await time.advance(40_000);
      expect((await other.end()).reservation).toMatchObject(place);
    }
    await lease.end();
  });

  test("each renewal of a lease notes what the call has cost so far", async () => {
    let received = 0;
    const lease = leaseOf(aReservation({ known: 7 }), {}, () => 10 + received);
    await time.advance(40_000);
    received = 5;
    await time.advance(40_000);
    expect(writes.map(({ to }) => to.known)).toEqual([10, 15]);
    await lease.end();
  });

  test("a lease continues from the stored state after a lost answer, whether or not the write took effect", async () => {
    const lease = leaseOf(aReservation());
    fates = ["lost"];
    await time.advance(40_000);
    await time.advance(40_000);
    await time.advance(40_000);
    // The second one finds version 1, the third goes on from there.
    expect(writes.map(({ from }) => from)).toEqual([0, 0, 1]);
    expect((await lease.end()).reservation.version).toBe(2);
  });

  test("a write of a lease that found no answer is logged with the call's id", async () => {
    const lease = leaseOf(aReservation());
    fates = ["lost"];
    await time.advance(80_000);
    await lease.end();
    const facts = { tenant_id: "t1", request_id: "r1" };
    const error = expect.objectContaining({ code: "store_unavailable" });
    expect(problems).toEqual([{ message: "A lease was not written", facts, error }]);
  });

  test("a lease that seems to have ended is not renewed, and the reservation is read before it is settled", async () => {
    const lease = leaseOf(aReservation());
    standing = undefined;
    await time.advance(40_000);
    await time.advance(40_000);
    expect(writes).toHaveLength(1);
    expect(await lease.end()).toMatchObject({ isOld: true, reservation: { version: 0 } });
  });

  test("an overdraft's lease that seems to have ended is not written again", async () => {
    const lease = leaseOf(aReservation({ overdraft: true }));
    standing = undefined;
    await time.advance(80_000);
    expect(writes.map(({ kind }) => kind)).toEqual(["moveIn"]);
    expect(await lease.end()).toMatchObject({ isOld: true });
  });

  test("a renewal keeps what is known of the call's cost", async () => {
    const lease = leaseOf(aReservation({ known: 7 }));
    await time.advance(40_000);
    expect((await lease.end()).reservation).toMatchObject({ known: 7, version: 1 });
  });

  test("a lease that ends makes no write that still waits for another", async () => {
    const lease = leaseOf(aReservation());
    lease.trueUp(300, 200);
    lease.trueUp(100, 50);
    const ended = lease.end();
    await time.advance(0);
    expect(writes).toEqual([]);
    expect((await ended).reservation.version).toBe(0);
  });

  test("a lease ends after the write that is in progress", async () => {
    const lease = leaseOf(aReservation());
    lease.trueUp(100, 50);
    const ended = lease.end();
    expect((await ended).reservation.version).toBe(standing?.version);
  });

  test("a lease knows whether an answer of the admission was lost", async () => {
    expect(await leaseOf(aReservation(), { answerLost: true }).end()).toMatchObject({ answerLost: true, isOld: false });
  });
});
