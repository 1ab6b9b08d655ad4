import { afterEach, expect, jest, test } from "@jest/globals";
import { powertoolsLog } from "../../adapters/log.ts";

afterEach(() => {
  jest.restoreAllMocks();
  delete process.env.POWERTOOLS_DEV;
});

test("writes one line of JSON with the facts, and an error as its causes without stack traces", () => {
  process.env.POWERTOOLS_DEV = "true";
  const lines: string[] = [];
  const write = (line: unknown) => void lines.push(String(line));
  jest.spyOn(console, "info").mockImplementation(write);
  jest.spyOn(console, "error").mockImplementation(write);
  const log = powertoolsLog("control");
  log.info("request", { status: 200, sub: undefined });
  log.problem("internal", { request_id: "r1" }, new Error("outer", { cause: new Error("inner") }));
  const [info, problem] = lines.map((line) => JSON.parse(line));
  expect(info).toMatchObject({ level: "INFO", message: "request", service: "control", status: 200 });
  expect(problem).toMatchObject({ level: "ERROR", message: "internal", request_id: "r1" });
  expect(problem.causes).toEqual(["Error: outer", "Error: inner"]);
  expect(lines.join("")).not.toContain("log.test.ts");
});
