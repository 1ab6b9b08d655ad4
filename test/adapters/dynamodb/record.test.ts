import { expect, test } from "@jest/globals";
import * as z from "zod";
import { defineRecord, schemaOf } from "../../../adapters/dynamodb/record.ts";

const noted = defineRecord({
  kind: "note",
  title: "note",
  pk: "NOTE#{tenant_id}",
  sk: "{since}#{note_id}",
  index: { pk: "TITLE#{title}", sk: "{note_id}" },
  schema: z.object({ text: z.string(), pages: z.array(z.object({ number: z.number() })).optional() }),
  version: 1,
  life: { days: 2 },
  purge: { with: "workspace", by: "partition" },
  written: "",
});

test("a record's keys are built from the values of its patterns", () => {
  expect(noted.key({ tenant_id: "t1", since: "2026", note_id: "n1" })).toEqual({ pk: "NOTE#t1", sk: "2026#n1" });
  expect(noted.indexKey({ title: "first", note_id: "n1" })).toEqual({ gsi1_pk: "TITLE#first", gsi1_sk: "n1" });
  expect(noted.range({ tenant_id: "t1" })).toEqual({ pk: "NOTE#t1" });
  expect(noted.range({ tenant_id: "t1", since: "2026" })).toEqual({ pk: "NOTE#t1", prefix: "2026#" });
  expect(noted.indexRange({ title: "first" })).toEqual({ pk: "TITLE#first", by: "index" });
});

test("a row's own key names its owner, and a row of another record has no values", () => {
  expect(noted.valuesOf({ pk: "NOTE#t1", sk: "2026#n1" })).toEqual({ tenant_id: "t1", since: "2026", note_id: "n1" });
  expect(noted.valuesOf({ pk: "OTHER#t1", sk: "2026#n1" })).toBeUndefined();
});

test("an index key cannot be built for a record that is not in the index", () => {
  expect(() => noted.activeIndexKey({} as never)).toThrow("not listed");
});

test("a row is read without the table's own attributes and without fields that its schema does not name", () => {
  const row = { pk: "NOTE#t1", sk: "2026#n1", gsi1_pk: "TITLE#a", gsi1_sk: "n1", expires_at: 7, text: "a", more: 1 };
  expect(noted.parse(row)).toEqual({ text: "a" });
  expect(noted.parse(undefined)).toBeUndefined();
});

test("a row that does not match its schema is refused with the names of its fields, and without their values", () => {
  const row = { pk: "NOTE#t1", sk: "2026#n1", text: 5, pages: [{ number: "secret" }] };
  expect(() => noted.parse(row)).toThrow('a row of "note" is not as it is declared: text, pages.0.number');
});

test("a row expires when the record's life, counted from a given time, is over", () => {
  expect(noted.expiresAt(1_000)).toBe(2 * 86_400 + 1);
  expect(() => defineRecord({ ...noted, life: "until purged" }).expiresAt(0)).toThrow("no time to live");
});

test("a schema that differs from the domain's type does not compile", () => {
  type Note = { text: string; pages?: readonly number[] | undefined };
  schemaOf<Note>()(z.object({ text: z.string(), pages: z.array(z.number()).optional() }));
  // @ts-expect-error a field that the type does not have
  schemaOf<Note>()(z.object({ text: z.string(), pages: z.array(z.number()).optional(), more: z.string() }));
  // @ts-expect-error a field that is missing
  schemaOf<Note>()(z.object({ text: z.string() }));
  // @ts-expect-error a field that may be absent, where the type demands it
  schemaOf<Note>()(z.object({ text: z.string().optional(), pages: z.array(z.number()).optional() }));
  // @ts-expect-error a field of another type
  schemaOf<Note>()(z.object({ text: z.string(), pages: z.array(z.string()).optional() }));
  expect(schemaOf<string>()(z.string()).parse("a")).toBe("a");
});
