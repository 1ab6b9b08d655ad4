import { chat, toolDefinition } from "@tanstack/ai";
import { createAnthropicChat } from "@tanstack/ai-anthropic";
import * as z from "zod";
import * as played from "./played.mjs";

const adapter = createAnthropicChat(played.model, played.key, { baseURL: played.url });
const user = (content) => ({ role: "user", content });

async function text(messages, more) {
  let said = "";
  for await (const event of chat({ adapter, messages, ...more })) {
    if (event.type === "TEXT_MESSAGE_CONTENT") said += event.delta;
    if (event.type === "RUN_ERROR") throw new Error(JSON.stringify(event));
  }
  return said;
}
const thinking = { modelOptions: { thinking: played.adaptive } };

await played.play({
  stream: () => text([user(played.question)]),
  tools: () => {
    const offered = toolDefinition({
      name: "read_keystone",
      description: played.description,
      inputSchema: z.object({ side: z.string() }),
    });
    return text([user(played.useTool)], { tools: [offered.server(() => played.inscription)] });
  },
  thinking: () => text([user(played.question)], thinking),
  image: () => {
    const image = { type: "image", source: { type: "data", value: played.pixel, mimeType: "image/png" } };
    return text([user([image, { type: "text", content: played.question }])]);
  },
  conversation: async () => {
    const messages = [];
    for (const turn of played.turns) {
      messages.push(user(turn));
      messages.push({ role: "assistant", content: await text(messages, thinking) });
    }
    return messages.at(-1).content;
  },
});
