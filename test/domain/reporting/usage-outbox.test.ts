import { expect, test } from "@jest/globals";
import { eventIdentifier, hourOfEvent } from "../../../domain/reporting/usage-outbox.ts";

const tenantId = "0b8a2c1e-9a2d-4c1f-8a55-3f6f2c7f1f00";

test("an hour's event has one identifier, which tells whose and which hour it is", () => {
  const identifier = eventIdentifier(tenantId, "2026-11-21T05");
  expect(identifier).toBe(`usage-${tenantId}-2026-11-21T05`);
  expect(identifier.length).toBeLessThanOrEqual(100);
  expect(hourOfEvent(identifier)).toEqual({ tenantId, hour: "2026-11-21T05" });
});

test.each(["", "usage-", "evt_1", "usage-t1-2026-11-21", "other-t1-2026-11-21T05"])("%j names no hour", (given) => {
  expect(hourOfEvent(given)).toBeUndefined();
});
