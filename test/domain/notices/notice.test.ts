import { describe, expect, test } from "@jest/globals";
import { withState } from "../../../domain/notices/mail-once.ts";
import { dueRecord, isPastMonth, type NoticeRecord, noticeSubjectSchema } from "../../../domain/notices/notice.ts";

const now = Date.parse("2026-11-21T05:00:00Z");
const hour = 3_600_000;

function last(changes: Partial<NoticeRecord> = {}): NoticeRecord {
  return { threshold: 80, used: 80, limit: 100, state: "sent", changed_at: now - hour, version: 3, ...changes };
}

describe("what is to be mailed", () => {
  test("a notice is due for the highest reached threshold, and none below the lowest", () => {
    expect(dueRecord({ used: 49, limit: 100 }, undefined, now)).toBeUndefined();
    expect(dueRecord({ used: 100, limit: 100 }, undefined, now)).toEqual({
      threshold: 100,
      used: 100,
      limit: 100,
      state: "due",
      changed_at: now,
      version: 1,
    });
  });

  test("a notice is not due again before the next threshold, whether or not it was sent", () => {
    for (const state of ["due", "sending", "sent", "dropped", "unknown"] as const) {
      expect(dueRecord({ used: 99, limit: 100 }, last({ state }), now)).toBeUndefined();
      expect(dueRecord({ used: 100, limit: 100 }, last({ state }), now)).toMatchObject({ threshold: 100, version: 4 });
    }
  });

  test.each([
    // The last mail said 80 of 100.
    ["raised, and nothing new is reached", { used: 81, limit: 150 }, undefined],
    ["raised, and reached anew", { used: 121, limit: 150 }, 80],
    ["raised far", { used: 100, limit: 200 }, 50],
    ["raised to where the last amount is half of it", { used: 81, limit: 160 }, undefined],
    ["lowered below what is used", { used: 80, limit: 80 }, 100],
    ["lowered, and nothing new is reached", { used: 80, limit: 99 }, undefined],
  ])("the threshold of the due notice is right for a limit that was %s", (_, use, threshold) => {
    expect(dueRecord(use, last(), now)?.threshold).toBe(threshold);
  });

  test("a notice is mailed at most three times while limits change back and forth without further usage", () => {
    const used = 100;
    let record: NoticeRecord | undefined;
    let mails = 0;
    for (const limit of [150, 300, 120, 1_000, 100, 150, 100, 90, 500, 50, 100, 200, 1]) {
      const due = dueRecord({ used, limit }, record, now);
      if (due) [record, mails] = [{ ...due, state: "sent" }, mails + 1];
    }
    expect(mails).toBe(3);
  });

  test("a notice that has been due for more than an hour is queued again, because its message was lost", () => {
    const use = { used: 85, limit: 100 };
    expect(dueRecord(use, last({ state: "due", changed_at: now - hour }), now)).toBeUndefined();
    expect(dueRecord(use, last({ state: "due", changed_at: now - hour - 1 }), now)).toEqual(
      last({ state: "due", used: 85, changed_at: now, version: 4 }),
    );
  });
});

test("changing the state of a notice's record gives it a new version", () => {
  expect(withState(last(), "unknown", now)).toEqual(last({ state: "unknown", changed_at: now, version: 4 }));
});

test("no notice is sent about a past month, and a notice about free credit belongs to no month", () => {
  const tenant_id = "t1";
  expect(isPastMonth({ kind: "cap", tenant_id, month: "2026-10" }, now)).toBe(true);
  expect(isPastMonth({ kind: "budget", tenant_id, month: "2026-11", caller_id: "ann" }, now)).toBe(false);
  expect(isPastMonth({ kind: "credit", tenant_id }, now)).toBe(false);
});

test.each([
  { kind: "cap", tenant_id: "t1" },
  { kind: "budget", tenant_id: "t1", month: "2026-11" },
  { kind: "credit", tenant_id: "t1", month: "2026-11" },
  { kind: "other", tenant_id: "t1" },
])("a message that names a notice's subject incompletely, or with more fields, is refused: %j", (subject) => {
  expect(noticeSubjectSchema.safeParse(subject).success).toBe(false);
});
