// What an address that a user gives must look like.
import { expect, test } from "@jest/globals";
import { hostOf, requireUpstreamUrl, upstreamUrlProblem } from "../../../domain/upstream/upstream-url.ts";

test.each([
  "https://mcp.example.com/mcp",
  "https://api.example.com:8443/v1?a=b",
  "https://93.184.215.14/",
  "https://[2606:4700::1111]/",
])("the address %s is accepted for an integration", (url) => expect(upstreamUrlProblem(url)).toBeUndefined());

test.each([
  ["http://mcp.example.com/mcp", "must begin with https://"],
  ["file:///etc/passwd", "must begin with https://"],
  ["/mcp", "must be an absolute address that begins with https://"],
  ["https://user:word@mcp.example.com/", "must hold no user name and no password: use auth for them"],
  ["https://mcp.example.com/#a", "must hold no fragment"],
  ["https://{host}/", "must be a whole address without variables in braces"],
  ["https://%7bhost%7D.example.com/", "must be a whole address without variables in braces"],
  ["https://localhost/", "must name a public host"],
  ["https://127.0.0.1/", "must lead to a public address"],
  ["https://0x7f.1/", "must lead to a public address"],
  ["https://2130706433/", "must lead to a public address"],
  ["https://0177.0.0.1/", "must lead to a public address"],
  ["https://①②⑦.0.0.1/", "must be printable ASCII without blanks and backslashes"],
  ["https://exаmple.com/", "must be printable ASCII without blanks and backslashes"],
  ["https://mcp.example.com\\@evil.example/", "must be printable ASCII without blanks and backslashes"],
  ["https:\\\\mcp.example.com/", "must be printable ASCII without blanks and backslashes"],
  ["https://mcp.exam\nple.com/", "must be printable ASCII without blanks and backslashes"],
  ["https:mcp.example.com/mcp", "must be an absolute address that begins with https://"],
  ["https://169.254.169.254/latest/meta-data", "must lead to a public address"],
  ["https://[::1]/", "must lead to a public address"],
  ["https://[::ffff:169.254.169.254]/", "must lead to a public address"],
  ["https://[64:ff9b::a9fe:a9fe]/", "must lead to a public address"],
  [`https://mcp.example.com/${"a".repeat(2_048)}`, "must have at most 2048 characters"],
])("the address %s for an integration %s", (url, problem) => expect(upstreamUrlProblem(url)).toBe(problem));

test("the refusal of an integration's address names the field", () => {
  expect(() => requireUpstreamUrl("http://a.example.com", "endpoint")).toThrow("endpoint: must begin with https://");
});

test("the host of an address is read without brackets and without a final dot", () => {
  expect(hostOf(new URL("https://[2606:4700::1111]/"))).toBe("2606:4700::1111");
  expect(hostOf(new URL("https://mcp.example.com./"))).toBe("mcp.example.com");
});
