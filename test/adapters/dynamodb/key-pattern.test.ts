import { expect, test } from "@jest/globals";
import { KeyPattern } from "../../../adapters/dynamodb/key-pattern.ts";

test("a key's text is its pattern filled with values, and the values can be read from the text", () => {
  const pattern = new KeyPattern("SPENDING#{tenant_id}#{caller_id}");
  expect(pattern.text({ tenant_id: "t1", caller_id: "ann" })).toBe("SPENDING#t1#ann");
  expect(pattern.values("SPENDING#t1#ann")).toEqual({ tenant_id: "t1", caller_id: "ann" });
});

test("the last value of a key may contain the separator", () => {
  expect(new KeyPattern("KEYS#{tenant_id}#{caller_id}").values("KEYS#t1#a#b")).toEqual({
    tenant_id: "t1",
    caller_id: "a#b",
  });
});

test.each(["SPENDING#t1", "CREDIT#t1#ann", "SPENDING", undefined])(
  "a text that does not match the key's pattern has no values: %s",
  (text) => {
    expect(new KeyPattern("SPENDING#{tenant_id}#{caller_id}").values(text)).toBeUndefined();
  },
);

test("a key pattern without placeholders is the key itself", () => {
  expect(new KeyPattern("CALLS").text({})).toBe("CALLS");
  expect(new KeyPattern("CALLS").values("CALLS")).toEqual({});
  expect(new KeyPattern("CALLS").values("CALL")).toBeUndefined();
});

test("the values of a key are formatted: the month of an hour, nine digits, a number, lower case", () => {
  expect(new KeyPattern("REPORT#{hour:month}").text({ hour: "2026-11-21T05" })).toBe("REPORT#2026-11");
  expect(new KeyPattern("V#{version:9}").text({ version: 12 })).toBe("V#000000012");
  expect(new KeyPattern("V#{version:9}").values("V#000000012")).toEqual({ version: 12 });
  expect(new KeyPattern("ACTIVE#{shard:number}").text({ shard: 7 })).toBe("ACTIVE#7");
  expect(new KeyPattern("EMAIL#{email:lower}").text({ email: "Ann@Acme.test" })).toBe("EMAIL#ann@acme.test");
});

test("the beginning of a key ends before the first missing value", () => {
  const pattern = new KeyPattern("{hour}#{caller_id}#{model}");
  expect(pattern.beginning({ hour: "2026-11-21T05" })).toBe("2026-11-21T05#");
  expect(pattern.beginning({})).toBe("");
  expect(new KeyPattern("PROFILE").beginning({})).toBe("PROFILE");
});

test("the prefix of a key ends at its first `#`, and tells the kind of record", () => {
  expect(new KeyPattern("MANIFEST#PLATFORM").prefix).toBe("MANIFEST#");
  expect(new KeyPattern("MANIFEST#{tenant_id}").prefix).toBe("MANIFEST#");
});
