import { describe, expect, test } from "@jest/globals";
import * as z from "zod";
import {
  defineFunction,
  type FunctionContract,
  flag,
  integer,
  json,
  readEnv,
  readRuntime,
} from "../../handlers/contract.ts";

const contract = defineFunction({
  entry: "handlers/proxy/lambda.ts",
  timeoutSeconds: 10,
  memoryMb: 128,
  env: {
    TABLE_NAME: z.string().min(1),
    ROLE_ARN: z.string().startsWith("arn:"),
    MODE: z.enum(["on", "off"]),
    RETRIES: integer.default(3),
    STRICT: flag,
    CLIENT_IDS: json(z.array(z.string()).min(1)),
  },
});

const complete = {
  TABLE_NAME: "archway-main",
  ROLE_ARN: "arn:aws:iam::000000000000:role/model-host",
  MODE: "on",
  RETRIES: "5",
  STRICT: "true",
  CLIENT_IDS: '["console","token-helper"]',
};

function problemsOf(read: () => unknown): string[] {
  try {
    read();
  } catch (error) {
    return (error as Error).message.split("\n");
  }
  return [];
}

test("each variable is read as the function's contract says, and other variables are left out", () => {
  expect(readEnv(contract, { ...complete, PATH: "/bin" })).toEqual({
    TABLE_NAME: "archway-main",
    ROLE_ARN: "arn:aws:iam::000000000000:role/model-host",
    MODE: "on",
    RETRIES: 5,
    STRICT: true,
    CLIENT_IDS: ["console", "token-helper"],
  });
});

test("a variable with a default may be left out", () => {
  const { RETRIES: _, ...rest } = complete;
  expect(readEnv(contract, rest).RETRIES).toBe(3);
});

test("all problems of the environment are reported at once, by the function's and the variable's name", () => {
  const bad = { TABLE_NAME: "", MODE: "maybe", RETRIES: "five", STRICT: "yes", CLIENT_IDS: "console" };
  expect(problemsOf(() => readEnv(contract, bad))).toEqual([
    "handlers/proxy/lambda.ts: bad environment",
    "  TABLE_NAME: Too small: expected string to have >=1 characters",
    "  ROLE_ARN: is missing",
    '  MODE: Invalid option: expected one of "on"|"off"',
    "  RETRIES: must be a whole number",
    '  STRICT: Invalid option: expected one of "true"|"false"',
    "  CLIENT_IDS: must be JSON",
  ]);
});

test("a problem of the environment never shows the variable's value", () => {
  const leaky = Object.fromEntries(Object.keys(complete).map((name) => [name, "leaked value"]));
  const nested = { ...leaky, CLIENT_IDS: '[{"leaked":"value"}]' };
  for (const source of [leaky, nested]) {
    const problems = problemsOf(() => readEnv(contract, source));
    expect(problems.length).toBeGreaterThan(4);
    expect(problems.join("\n")).not.toContain("leaked");
  }
});

test("an environment without a source is read from the process", () => {
  const alone: FunctionContract = defineFunction({ ...contract, env: { CONTRACT_TEST_VARIABLE: z.string() } });
  process.env.CONTRACT_TEST_VARIABLE = "here";
  try {
    expect(readEnv(alone)).toEqual({ CONTRACT_TEST_VARIABLE: "here" });
  } finally {
    delete process.env.CONTRACT_TEST_VARIABLE;
  }
});

describe("integer", () => {
  test.each([
    ["0", 0],
    ["-12", -12],
    ["600", 600],
  ])("an integer in the environment is read: %s", (text, number) => expect(integer.parse(text)).toBe(number));

  test.each(["", " 1", "1.5", "1e3", "0x10", "ten", "99999999999999999999"])(
    "the value %j is refused for an integer in the environment",
    (text) => {
      expect(integer.safeParse(text).success).toBe(false);
    },
  );
});

describe("flag", () => {
  test("a flag in the environment is true or false", () => {
    expect([flag.parse("true"), flag.parse("false")]).toEqual([true, false]);
  });

  test.each(["", "1", "TRUE", "yes"])("the value %j is refused for a flag in the environment", (text) =>
    expect(flag.safeParse(text).success).toBe(false),
  );
});

describe("json", () => {
  const limits = json(z.object({ burst: z.int() }));

  test("JSON in the environment is checked by the schema of its content", () => {
    expect(limits.parse('{"burst":3}')).toEqual({ burst: 3 });
    expect(limits.safeParse('{"burst":"3"}').error?.issues[0]?.path).toEqual(["burst"]);
  });

  test("a text that is not JSON in the environment is reported once", () => {
    expect(limits.safeParse("{burst").error?.issues.map(({ message }) => message)).toEqual(["must be JSON"]);
  });
});

describe("what the Lambda runtime sets", () => {
  const runtime = { AWS_REGION: "eu-central-1", AWS_ACCESS_KEY_ID: "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY: "key" };

  test("the Lambda runtime's environment contains the region and the role's credentials", () => {
    expect(readRuntime({ ...runtime, AWS_SESSION_TOKEN: "token" })).toEqual({
      region: "eu-central-1",
      credentials: { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "key", sessionToken: "token" },
      endpoints: { dynamodb: undefined, bedrockRuntime: undefined },
    });
    expect(readRuntime(runtime).credentials).not.toHaveProperty("sessionToken");
  });

  test("the Lambda runtime's environment can name an endpoint for all services, and one for a single service takes precedence", () => {
    const { endpoints } = readRuntime({
      ...runtime,
      AWS_ENDPOINT_URL: "http://127.0.0.1:4566",
      AWS_ENDPOINT_URL_DYNAMODB: "http://127.0.0.1:8000",
    });
    expect(endpoints).toEqual({
      dynamodb: "http://127.0.0.1:8000",
      bedrockRuntime: "http://127.0.0.1:4566",
      agentCore: "http://127.0.0.1:4566",
    });
  });

  test("a missing variable of the Lambda runtime is refused by name", () => {
    expect(problemsOf(() => readRuntime({ AWS_SECRET_ACCESS_KEY: "leaked", AWS_ENDPOINT_URL: "leaked" }))).toEqual([
      "Lambda's runtime: bad environment",
      "  AWS_REGION: is missing",
      "  AWS_ACCESS_KEY_ID: is missing",
      "  AWS_ENDPOINT_URL: Invalid URL",
    ]);
  });
});
