import { expect, test } from "@jest/globals";
import { arnOf, idOf, physicalName } from "../../../local/program/names.ts";

test("a name that the program gives is kept, another ends in a suffix", () => {
  expect([physicalName("proxy", { name: "given" }), physicalName("proxy", {})]).toEqual(["given", "proxy-local"]);
});

test("an id is the same each time, of the length asked for, and another for another name", () => {
  expect(idOf("proxy", 26)).toMatch(/^[a-z0-9]{26}$/);
  expect(idOf("proxy", 26)).toBe(idOf("proxy", 26));
  expect(idOf("proxy", 26)).not.toBe(idOf("control", 26));
});

test("an ARN of a global service names no region", () => {
  expect(arnOf("iam", "", "role/proxy")).toBe("arn:aws:iam::000000000000:role/proxy");
  expect(arnOf("logs", "eu-central-1", "log-group:a")).toBe("arn:aws:logs:eu-central-1:000000000000:log-group:a");
});
