// Parts of requests for the examples of the rules.
import { question } from "../../support/model-host-server.ts";

export type Example = {
  model: string;
  body: object;
  /** The message, where it has particulars. */
  words?: string;
  /** A model that takes the same. Left out where none does. */
  taker?: string;
};

export const weather = { name: "get_weather", input_schema: { type: "object" } };
export const text = (words: string) => ({ type: "text", text: words });
export const user = (...content: object[]) => ({ role: "user", content });
export const assistant = (...content: object[]) => ({ role: "assistant", content });
export const hi = user(text("hi"));
export const use = (id: string) => ({ type: "tool_use", id, name: "get_weather", input: {} });
export const result = (id: string) => ({ type: "tool_result", tool_use_id: id, content: "sunny" });
export const marked = (ttl: string) => ({ ...text("x"), cache_control: { type: "ephemeral", ttl } });
export const asking = (more: object) => question("hi", more);
export const talk = (...messages: object[]) => asking({ messages });
export const withTools = (...messages: object[]) => asking({ messages, tools: [weather] });
export const picture = (media_type: string, data: string) => ({
  type: "image",
  source: { type: "base64", media_type, data },
});
export const system = (content: string | object[], more: object = {}) => ({ role: "system", content, ...more });
export const latest = { anthropic_version: "2026-10-21" };
export const thinking = (type: string, more: object = {}) => ({ thinking: { type, ...more } });
export const thought = (signature: string) =>
  talk(hi, assistant({ type: "thinking", thinking: "Hm.", signature }, text("A")), hi);
export const anywhere = "the directive-only form (content: [] with output_config) is accepted at any position";
export const document = { type: "document", source: { type: "text", media_type: "text/plain", data: "x" } };
