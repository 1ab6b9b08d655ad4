import { expect, test } from "@jest/globals";
import { classOf } from "../../../domain/catalog/message-fields.ts";

test.each([
  [":", "compaction", "meant"],
  [":", "diagnostics", "spare"],
  ["tools:custom", "strict", "meant"],
  ["tools:", "defer_loading", "spare"],
  ["tools:web_search_20991231", "max_uses", "meant"],
  ["definition:custom", "input_schema", "meant"],
  ["messages:system", "clear_at", "spare"],
  ["content:thinking", "signature", "meant"],
  ["content:web_fetch_tool_result", "caller", "spare"],
  ["content:text_editor_code_execution_view_result", "num_lines", "meant"],
  ["cache_control:ephemeral", "ttl", "spare"],
  ["output_config:", "format", "meant"],
])("of what holds a field, %s, the field %s is %s", (holder, field, is) => expect(classOf({ holder, field })).toBe(is));

test.each([
  [":", "of_tomorrow"],
  [":", "constructor"],
  ["content:text", "signature"],
  ["content:of_tomorrow", "text"],
  ["thinking:adaptive", "budget_tokens"],
  ["constructor:", "name"],
])("the Messages API has no field of %s that is named %s", (holder, field) =>
  expect(classOf({ holder, field })).toBeUndefined(),
);
