import { afterEach, expect, jest, test } from "@jest/globals";
import { powertoolsLog } from "../../adapters/log.ts";

afterEach(() => {
  jest.restoreAllMocks();
  delete process.env.POWERTOOLS_DEV;
});

test("the log writes one line of JSON with the facts, and an error as its causes without stack traces", () => {
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

test("the log contains neither accounts nor resources of AWS, however deep the error is nested", () => {
  process.env.POWERTOOLS_DEV = "true";
  const lines: string[] = [];
  jest.spyOn(console, "error").mockImplementation((line) => void lines.push(String(line)));
  const denied = new Error("User: arn:aws:sts::123456789012:assumed-role/x/y in 123456789012 may not");
  powertoolsLog("proxy").problem("upstream_failed", {}, new Error("failed", { cause: denied }));
  expect(lines.join("")).not.toMatch(/arn:aws|\d{12}/);
  expect(JSON.parse(lines[0] ?? "").causes).toEqual(["Error: failed", "Error: User: [resource] in [account] may not"]);
});

test("the log ends circular causes of an error at a limit, and accepts any thrown value", () => {
  process.env.POWERTOOLS_DEV = "true";
  const lines: string[] = [];
  jest.spyOn(console, "error").mockImplementation((line) => void lines.push(String(line)));
  const circle = new Error("round");
  circle.cause = circle;
  const log = powertoolsLog("proxy");
  log.problem("a", {}, circle);
  log.problem("b", {}, "just words");
  log.problem("c", {}, null);
  expect(lines.map((line) => JSON.parse(line).causes)).toEqual([
    Array(4).fill("Error: round"),
    ["Error: just words"],
    ["Error: null"],
  ]);
});

test("the log does not quote a text that could not be parsed", () => {
  process.env.POWERTOOLS_DEV = "true";
  const lines: string[] = [];
  jest.spyOn(console, "error").mockImplementation((line) => void lines.push(String(line)));
  try {
    JSON.parse("somebody's prompt");
  } catch (error) {
    powertoolsLog("proxy").problem("upstream_failed", {}, error);
  }
  expect(JSON.parse(lines[0] ?? "").causes).toEqual(["SyntaxError"]);
});
