// Calls one helper of the vendor's SDK, as a step says; prints `ok` if it gave what it is for.
import { equal, ok } from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod";
import { zodOutputFormat } from "@anthropic-ai/sdk/helpers/zod";
import * as z from "zod";

const {
  model = "claude-sonnet-5-5",
  helper = "messages.create",
  prompt,
  headers,
} = JSON.parse(process.argv[2] ?? "{}");
const client = new Anthropic({ defaultHeaders: headers });
const asked = { model, max_tokens: 2_000, messages: [{ role: "user" as const, content: prompt as string }] };
const shape = z.object({ city: z.string(), arches: z.int() });
const reads = {
  name: "read_keystone",
  description: "Reads the keystone's inscription",
  input_schema: { type: "object" as const, properties: { side: { type: "string" } }, required: ["side"] },
};
const usesTool = { ...asked, messages: [{ role: "user" as const, content: "Use read_keystone." }] };

let runs = 0;
const tool = betaZodTool({
  name: reads.name,
  description: reads.description,
  inputSchema: z.object({ side: z.string() }),
  run: () => {
    runs += 1;
    return "seventeen keystones";
  },
});

const helpers: Record<string, () => Promise<void>> = {
  "messages.create": async () => {
    const { content } = await client.messages.create(asked);
    equal(content.at(-1)?.type, "text");
  },
  "messages.stream": async () => {
    ok((await client.messages.stream(asked).finalText()).includes("model host"));
  },
  "stream with a tool": async () => {
    const message = await client.messages.stream({ ...usesTool, tools: [reads] }).finalMessage();
    equal(message.stop_reason, "tool_use");
  },
  "beta.messages.toolRunner": async () => {
    const message = await client.beta.messages.toolRunner({ ...usesTool, tools: [tool] });
    equal(runs, 1);
    ok(JSON.stringify(message.content).includes("seventeen keystones"));
  },
  "beta.messages.toolRunner, streamed": async () => {
    let text = "";
    for await (const stream of client.beta.messages.toolRunner({ ...usesTool, tools: [tool], stream: true })) {
      text += JSON.stringify((await stream.finalMessage()).content);
    }
    equal(runs, 1);
    ok(text.includes("seventeen keystones"));
  },
  "messages.countTokens": async () => {
    const { max_tokens: _, ...counted } = asked;
    ok((await client.messages.countTokens(counted)).input_tokens > 0);
  },
  "beta.messages.countTokens": async () => {
    const { max_tokens: _, ...counted } = asked;
    ok((await client.beta.messages.countTokens(counted)).input_tokens > 0);
  },
  "messages.parse": async () => {
    const message = await client.messages.parse({ ...asked, output_config: { format: zodOutputFormat(shape) } });
    ok(shape.parse(message.parsed_output));
  },
  "beta.messages.parse": async () => {
    const message = await client.beta.messages.parse({ ...asked, output_config: { format: zodOutputFormat(shape) } });
    ok(shape.parse(message.parsed_output));
  },
  "models.list": async () => {
    const ids: string[] = [];
    for await (const { id } of client.models.list()) ids.push(id);
    ok(ids.includes(model));
  },
  thinking: async () => {
    const message = await client.messages.stream({ ...asked, thinking: { type: "adaptive" } }).finalMessage();
    equal(message.content[0]?.type, "thinking");
  },
  "caching for an hour": async () => {
    const text = "A long text about arches. ".repeat(1_000);
    const cache_control = { type: "ephemeral" as const, ttl: "1h" as const };
    const message = await client.messages.create({ ...asked, system: [{ type: "text", text, cache_control }] });
    ok((message.usage.cache_creation?.ephemeral_1h_input_tokens ?? 0) > 0);
  },
};

const call = helpers[helper];
if (!call) throw new Error(`no helper ${helper}`);
await call();
process.stdout.write("ok\n");
