import { expect, test } from "@jest/globals";
import { parseRequest } from "../../../domain/kernel/validation.ts";
import { tenantBody } from "../../../domain/workspace/tenant-body.ts";

const parse = (body: unknown) => parseRequest(tenantBody, body, "body");

test("creating a workspace requires a name; the region may be left to the platform", () => {
  expect(parse({ name: "  Acme & Söhne " })).toEqual({ name: "Acme & Söhne" });
  expect(parse({ name: "Acme", default_region: "us-east-1" })).toEqual({ name: "Acme", default_region: "us-east-1" });
});

test.each([
  "株式会社",
  "トヨタ",
  "삼성전자",
  "שלום",
  "ประเทศไทย",
  "شركة",
  "Müller & Söhne",
  "xn--80ak6aa92e",
  "x".repeat(63),
])("the name %p gives a workspace's address", (name) => {
  expect(parse({ name })).toEqual({ name });
});

test.each([
  ["ｗｗｗ", "name: gives an address that is reserved"],
  ["\u0430pi", "name: gives an address that is reserved"],
  ["京".repeat(16), "name: gives an address that is longer than 63 characters"],
  ["🚀 !?", "name: must have letters or digits of which an address can be made"],
  ["  ", "name: must have letters or digits of which an address can be made"],
  ["www", "name: gives an address that is reserved"],
  ["x".repeat(64), "name: gives an address that is longer than 63 characters"],
  ["Ac\u0000me", "name: must not have control or invisible characters"],
  ["<b>Acme</b>", "name: must not have < or >"],
  ["!".repeat(201), /^name: must have at most 200 characters/],
])("the name %p gives no workspace's address", (name, message) => {
  expect(() => parse({ name })).toThrow(message);
});
