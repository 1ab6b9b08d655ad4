import { describe, expect, test } from "@jest/globals";
import middy from "@middy/core";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import { refuse } from "../../../handlers/middleware/refuse.ts";

async function answerTo(error: unknown) {
  const problems: unknown[][] = [];
  const handler = middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>()
    .use(refuse({ log: { problem: (...problem) => problems.push(problem) } }))
    .handler(async () => {
      throw error;
    });
  const answer = await handler({} as APIGatewayProxyEventV2, { awsRequestId: "r1" } as Context);
  return { ...answer, body: JSON.parse(answer.body ?? ""), problems };
}

describe("a refusal", () => {
  test("a refusal is answered unchanged, and is not logged as a problem of the platform", async () => {
    expect(await answerTo(new Refusal("changed_meanwhile", "name: taken"))).toEqual({
      statusCode: 409,
      headers: {
        "content-type": "application/json",
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "request-id": "r1",
        "retry-after": "1",
      },
      body: {
        type: "error",
        error: { type: "conflict_error", message: "name: taken", details: { error_code: "changed_meanwhile" } },
        request_id: "r1",
      },
      problems: [],
    });
  });

  test("a refusal that stands for an outage is logged with its cause", async () => {
    const cause = new Error("timeout");
    const { problems } = await answerTo(new Refusal("store_unavailable", "try again", { cause }));
    expect(problems).toEqual([["store_unavailable", { request_id: "r1" }, cause]]);
  });
});

test.each([new Error("arn:aws:iam::123456789012:role/x"), "a string", undefined])(
  "the unexpected error %p becomes 500 without its message, and is logged",
  async (error) => {
    const { statusCode, body, problems } = await answerTo(error);
    expect(statusCode).toBe(500);
    expect(body.error).toEqual({
      type: "api_error",
      message: "Something went wrong on our side. If it lasts, report it with the request id",
      details: { error_code: "internal" },
    });
    expect(problems).toHaveLength(1);
  },
);
