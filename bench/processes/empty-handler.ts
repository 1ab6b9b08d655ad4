// The least that a streaming Middy handler can be: what a cold start is measured against.
import middy from "@middy/core";
import { executionModeStreamifyResponse } from "@middy/core/StreamifyResponse";

const answer = { statusCode: 200, headers: { "content-type": "application/json" }, body: "{}" };

export const handler = middy({ executionMode: executionModeStreamifyResponse }).handler(async () => answer);
