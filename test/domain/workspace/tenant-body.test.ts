import { describe, expect, test } from "@jest/globals";
import { parseRequest } from "../../../domain/kernel/validation.ts";
import { tenantBody, tenantPatch } from "../../../domain/workspace/tenant-body.ts";

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

describe("the origins of web pages", () => {
  const patch = (...browser_origins: string[]) => parseRequest(tenantPatch, { browser_origins }, "body");

  test("the origins are those of pages with TLS, or of the person's own machine", () => {
    const origins = [
      "https://app.example.com",
      "https://app.example.com:8443",
      "http://localhost:3000",
      "http://127.0.0.1",
    ];
    expect(patch(...origins).browser_origins).toEqual(origins);
    expect(patch().browser_origins).toEqual([]);
  });

  test.each([
    "*",
    "null",
    "",
    "app.example.com",
    "http://app.example.com",
    "http://localhost.example.com",
    "https://*.example.com",
    "https://app.example.com/",
    "https://app.example.com/page",
    "https://APP.example.com",
    "https://app.example.com:443",
    "https://somebody@app.example.com",
    "https://b\u00fccher.example",
    "javascript:alert(1)",
    "data:text/html,x",
    `https://${"x".repeat(300)}.example`,
  ])("the text %j is no origin that a workspace can allow", (origin) => {
    expect(() => patch(origin)).toThrow(/^browser_origins\.0: must/);
  });

  test("the origins are at most 20", () => {
    expect(() => patch(...Array.from({ length: 21 }, (_, index) => `https://a${index}.example`))).toThrow(
      "browser_origins: must have at most 20 origins",
    );
  });
});
