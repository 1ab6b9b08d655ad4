import { createAnthropic } from "@ai-sdk/anthropic";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import * as z from "zod";
import * as played from "./played.mjs";

const model = createAnthropic({ baseURL: `${played.url}/v1`, apiKey: played.key })(played.model);
const agent = (more) => new Agent({ id: "mason", name: "mason", instructions: "You know arches.", model, ...more });
const thinking = { providerOptions: { anthropic: { thinking: played.adaptive } } };

await played.play({
  answer: async () => (await agent().generate(played.question)).text,
  stream: async () => await (await agent().stream(played.question)).text,
  tools: async () => {
    const read_keystone = createTool({
      id: "read_keystone",
      description: played.description,
      inputSchema: z.object({ side: z.string() }),
      execute: async () => ({ inscription: played.inscription }),
    });
    return (await agent({ tools: { read_keystone } }).generate(played.useTool)).text;
  },
  thinking: async () => (await agent().generate(played.question, thinking)).text,
  image: async () => {
    const image = { type: "file", mediaType: "image/png", data: played.pixel };
    return (await agent().generate([{ role: "user", content: [image, { type: "text", text: played.question }] }])).text;
  },
  conversation: async () => {
    const messages = [];
    for (const content of played.turns) {
      messages.push({ role: "user", content });
      const { text, response } = await agent().generate(messages, thinking);
      messages.push(...(response.messages ?? [{ role: "assistant", content: text }]));
    }
    return JSON.stringify(messages.at(-1));
  },
});
