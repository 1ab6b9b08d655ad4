// The fields that a request of the Messages API may have, as the types of @anthropic-ai/sdk 1.14.0 (2026-11-27) name them, by what holds them: the
// holder's name and type. `npm run clients:newest` compares them with the newest types.

/** How a field counts if the model host does not know it: the call can do without it, or its answer would mean something else. */
export type FieldClass = "spare" | "meant";

type Names = { spare?: string; meant?: string };

const cached = "cache_control";
/** Fields of each tool. */
const offer = "allowed_callers cache_control defer_loading eager_input_streaming input_examples";
const located = "cited_text document_index document_title source title type url encrypted_index start_block_index";

/** A type may end with `*`. An empty type is that of a holder without one; `:` is the body. */
const fields: Readonly<Record<string, Names>> = {
  ":": {
    spare:
      "betas cache_control context_management diagnostics fallback_credit_token fallbacks inference_geo metadata safeguards service_tier speed " +
      "user_profile_id workspace_id",
    meant:
      "billing_policy compaction container max_tokens mcp_servers messages model output_config output_format stop_sequences stream system " +
      "temperature thinking thread tool_choice tools top_k top_p",
  },
  "billing_policy:*": { meant: "bill_to type" },
  "block_binding:": { spare: "prefix_mismatch_behavior" },
  "cache_control:*": { spare: "ttl scope", meant: "type" },
  "caching:*": { spare: "ttl", meant: "type" },
  "caller:*": { spare: "tool_id", meant: "type" },
  "citations:": { meant: "enabled" },
  "citations:*": {
    meant: `${located} start_char_index end_char_index end_block_index start_page_number end_page_number search_result_index`,
  },
  "clear_at_least:*": { meant: "type value" },
  "compaction:*": { meant: "type instructions" },
  "container:": { meant: "id skills" },
  "content:browser_state": { spare: cached, meant: "state_changes tabs type" },
  "content:compaction": { spare: cached, meant: "content encrypted_content signature tool_changes type" },
  "content:container_upload": { spare: cached, meant: "file_id type" },
  "content:document": { spare: cached, meant: "citations context source title type" },
  "content:fallback": { spare: "trigger", meant: "from to type" },
  "content:image": { spare: cached, meant: "source transformations type" },
  "content:mcp_*": {
    spare: cached,
    meant: "content id input is_error mcp_server_name name server_name tool_use_id tools type",
  },
  "content:redacted_thinking": { meant: "data type" },
  "content:search_result": { spare: cached, meant: "citations content source title type" },
  "content:server_tool_use": { spare: "cache_control caller", meant: "id input name type" },
  "content:text": { spare: cached, meant: "citations text type" },
  "content:thinking": { meant: "signature thinking type" },
  "content:tool_addition": { spare: cached, meant: "tool type" },
  "content:tool_reference": { spare: cached, meant: "tool_name type" },
  "content:tool_removal": { spare: cached, meant: "tool type" },
  "content:tool_result": { spare: "cache_control toolset_name", meant: "content is_error tool_use_id type" },
  "content:tool_search_tool_*": {
    spare: cached,
    meant: "content error_code error_message tool_references tool_use_id type",
  },
  "content:tool_use": { spare: "cache_control caller toolset_name", meant: "id input name type" },
  // Results of tools of the vendor's servers, which the model host lacks: calls with them are refused by name.
  "content:advisor_*": {
    spare: cached,
    meant: "content encrypted_content error_code stop_reason text tool_use_id type",
  },
  "content:*code_execution_*": {
    spare: cached,
    meant:
      "content encrypted_stdout error_code error_message file_id file_type is_file_update lines new_lines new_start num_lines old_lines old_start " +
      "return_code start_line stderr stdout tool_use_id total_lines type",
  },
  "content:web_*": {
    spare: "cache_control caller",
    meant: "content encrypted_content error_code page_age retrieved_at title tool_use_id type url",
  },
  "context_management:": { meant: "edits" },
  "default_config:": { spare: "defer_loading", meant: "enabled" },
  "diagnostics:": { spare: "previous_message_id" },
  "edits:*": {
    meant: "clear_at_least clear_tool_inputs exclude_tools instructions keep pause_after_compaction trigger type",
  },
  "fallback_credit_token:": { spare: "mode token" },
  "fallbacks:": { spare: "speed", meant: "max_tokens model output_config thinking" },
  "format:*": { meant: "schema type" },
  "from:": { meant: "model" },
  "keep:*": { meant: "type value" },
  "mcp_servers:*": { meant: "authorization_token name tool_configuration type url" },
  "messages:*": { spare: "clear_at output_config", meant: "content role" },
  "metadata:": { spare: "user_id" },
  "output_config:": { spare: "effort task_budget", meant: "format" },
  "output_format:*": { meant: "schema type" },
  "skills:*": { meant: "skill_id type version" },
  "source:*": { meant: "content data file_id media_type type url" },
  "state_changes:*": { meant: "download_id error path size_bytes tab_id type url" },
  "system:*": { spare: cached, meant: "citations text type" },
  "tabs:": { meant: "active tab_id title url" },
  "task_budget:*": { spare: "remaining", meant: "total type" },
  "thinking:*": { spare: "block_binding display", meant: "type" },
  "thinking:enabled": { spare: "block_binding display", meant: "budget_tokens type" },
  "thread:*": { meant: "previous_message_id type" },
  "to:": { meant: "model" },
  "tool:*": { meant: "definition name server_name type" },
  "tool_changes:*": { spare: cached, meant: "tool type" },
  "tool_choice:*": { meant: "disable_parallel_tool_use type" },
  "tool_choice:tool": { meant: "disable_parallel_tool_use name type" },
  "tool_configuration:": { meant: "allowed_tools enabled" },
  "tool_references:*": { spare: cached, meant: "tool_name type" },
  "tools:": { spare: offer, meant: "description input_schema name strict type" },
  "tools:*": { spare: offer, meant: "name strict type" },
  "tools:*_toolset*": { spare: offer, meant: "configs default_config mcp_server_name tools type" },
  "tools:advisor_*": { spare: `${offer} caching`, meant: "max_tokens max_uses model name strict type" },
  "tools:computer_*": {
    spare: offer,
    meant: "configs display_height_px display_number display_width_px enable_zoom name strict type",
  },
  "tools:custom": { spare: offer, meant: "description input_schema name strict type" },
  "tools:text_editor_*": { spare: offer, meant: "max_characters name strict type" },
  "tools:web_*": {
    spare: offer,
    meant:
      "allowed_domains blocked_domains citations max_content_tokens max_uses name response_inclusion strict type url_sources use_cache user_location",
  },
  "transformations:": { meant: "oversized_image" },
  "trigger:*": { meant: "type value" },
  "url_sources:": { meant: "client_tool_results server_tool_results user_input" },
  "client_tool_results:*": { meant: "tools type" },
  "server_tool_results:*": { meant: "tools type" },
  "user_input:*": { meant: "type" },
  "user_location:*": { meant: "city country region timezone type" },
};

const classes = new Map(
  Object.entries(fields).map(([holder, { spare = "", meant = "" }]) => {
    const named = (names: string, is: FieldClass) => names.split(" ").map((name) => [name, is] as const);
    return [holder, new Map([...named(spare, "spare"), ...named(meant, "meant")])];
  }),
);
/** Holders whose type is a pattern: the longest first, since it says the most. */
const patterns = [...classes.keys()]
  .filter((holder) => holder.includes("*"))
  .toSorted((one, other) => other.length - one.length)
  .map((holder) => ({ holder, form: new RegExp(`^${holder.replaceAll("*", "[\\w-]*")}$`) }));

/**
 * Returns the class of a field; undefined for one that the table does not name.
 * @param holder by name and type, as `heldBy` gives it: `content:text`
 */
export function classOf({ holder, field }: { holder: string; field: string }): FieldClass | undefined {
  // A definition inside a message is a tool as any other.
  const held = holder.replace(/^definition:/, "tools:");
  const place = classes.has(held) ? held : patterns.find(({ form }) => form.test(held))?.holder;
  return place === undefined ? undefined : classes.get(place)?.get(field);
}
