import { expect, test } from "@jest/globals";
import { classOf } from "../../domain/catalog/message-fields.ts";
import { requestFields } from "./request-fields.ts";

const types = new URL("../../node_modules/@anthropic-ai/sdk/resources/beta/messages/messages.d.ts", import.meta.url);

test("the fields of an SDK's requests are read with what holds them, and each has a class", () => {
  const fields = requestFields(types.pathname);
  expect(fields).toEqual(
    expect.arrayContaining([
      { holder: ":", field: "max_tokens" },
      { holder: "tools:custom", field: "strict" },
      { holder: "tools:", field: "strict" },
      { holder: "content:thinking", field: "signature" },
      { holder: "cache_control:ephemeral", field: "ttl" },
      { holder: "messages:", field: "role" },
    ]),
  );
  expect(fields).not.toContainEqual({ holder: "input_schema:", field: "properties" });
  expect(fields.filter((field) => classOf(field) === undefined)).toEqual([]);
});
