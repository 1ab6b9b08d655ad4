// The line of a call in the log of invocations, once it is over (docs.aws.amazon.com/bedrock/latest/userguide/model-invocation-logging.html),
// without bodies, as with `textDataDeliveryEnabled` off.
import { accountId } from "../aws/account.ts";
import type { ReceivedCall } from "./journal.ts";
import { parseJson } from "./json-body.ts";

/** @returns undefined for a count, which is not logged */
export function invocationLine(call: ReceivedCall): string | undefined {
  const { operation, modelId, region, time, headers, usage, error, outcome } = call;
  if (operation === "CountTokens") return undefined;
  const metadata = headers["x-amzn-bedrock-request-metadata"];
  return JSON.stringify({
    ...{
      schemaType: "ModelInvocationLog",
      schemaVersion: "1.0",
      timestamp: time,
      accountId,
      region,
      operation,
      modelId,
    },
    ...(typeof metadata === "string" && { requestMetadata: parseJson(metadata) }),
    ...(outcome === "failed" && !usage && { errorCode: error }),
    ...(usage && {
      input: {
        inputTokenCount: usage.input_tokens,
        cacheReadInputTokenCount: usage.cache_read_input_tokens,
        cacheWriteInputTokenCount: usage.cache_creation_input_tokens,
      },
      output: { outputTokenCount: usage.output_tokens },
    }),
  });
}
