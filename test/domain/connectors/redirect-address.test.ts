import { describe, expect, test } from "@jest/globals";
import {
  isOnThisMachine,
  isSameRedirect,
  redirectProblem,
  withParameters,
} from "../../../domain/connectors/redirect-address.ts";

test.each([
  "https://app.example/cb",
  "https://app.example/cb?tenant=a",
  "http://localhost:8420/callback",
  "http://127.0.0.1/",
  "http://[::1]:5000/cb",
  "cursor://anysphere.cursor-mcp/oauth/callback",
])("%s may be a redirect address", (address) => {
  expect(redirectProblem(address)).toBeUndefined();
});

test.each([
  "",
  "/cb",
  "app.example/cb",
  "http://app.example/cb",
  "http://localhost.app.example/cb",
  "https://app.example/cb#",
  "https://user:password@app.example/cb",
  "https://@app.example/cb",
  "https:app.example",
  "https:///app.example/cb",
  "https://app.example/ cb",
  "https://app.example/\u0000",
  "https://аpp.example/cb",
  "javascript:alert(1)",
  "javascript://app.example/%0aalert(1)",
  "data:text/html,x",
  "blob:https://app.example/1",
  "ftp://app.example/",
  `https://app.example/${"x".repeat(2_100)}`,
])("%s may be no redirect address", (address) => {
  expect(redirectProblem(address)).toEqual(expect.any(String));
});

describe("the address of a request", () => {
  test.each([
    ["http://localhost/callback", "http://localhost:5123/callback"],
    ["http://localhost:1/callback", "http://localhost/callback"],
    ["http://127.0.0.1:33418/", "http://127.0.0.1:40000/"],
    ["http://[::1]/cb?a=b", "http://[::1]:9/cb?a=b"],
    ["https://app.example/cb", "https://app.example/cb"],
  ])("the known address %s serves for %s", (known, asked) => {
    expect(isSameRedirect(known, asked)).toBe(true);
  });

  test.each([
    ["http://localhost/callback", "http://127.0.0.1:5123/callback"],
    ["http://localhost/callback", "http://localhost:5123/callback/"],
    ["http://localhost/callback", "http://localhost:5123/callback?x=1"],
    ["http://localhost/callback", "https://localhost:5123/callback"],
    ["https://app.example/cb", "https://app.example:8443/cb"],
    ["https://app.example/cb", "https://app.example/cb/"],
    ["https://app.example/cb", "https://APP.example/cb"],
    ["http://localhost/callback", "http://localhost:5123@evil.example/callback"],
  ])("the known address %s does not serve for %s", (known, asked) => {
    expect(isSameRedirect(known, asked)).toBe(false);
  });
});

test("an answer is added behind what an address has already", () => {
  const parameters = { code: "a b", state: undefined, iss: "https://mcp.example.com" };
  const added = "code=a+b&iss=https%3A%2F%2Fmcp.example.com";
  expect(withParameters("https://app.example/cb", parameters)).toBe(`https://app.example/cb?${added}`);
  expect(withParameters("https://app.example/cb?a=%7e", parameters)).toBe(`https://app.example/cb?a=%7e&${added}`);
});

test("a port of this machine and a program's scheme are on this machine, and a page of the web is not", () => {
  expect(["http://localhost:1/", "cursor://a/b", "https://localhost/"].map(isOnThisMachine)).toEqual([
    true,
    true,
    false,
  ]);
});
