import { Anthropic } from "@llamaindex/anthropic";
import { tool } from "llamaindex";
import * as z from "zod";
import * as played from "./played.mjs";

const llm = new Anthropic({ model: played.model, baseURL: played.url, apiKey: played.key, maxTokens: 4_000 });
const textOf = ({ message: { content } }) => (typeof content === "string" ? content : JSON.stringify(content));
const asked = { messages: [{ role: "user", content: played.question }] };

await played.play({
  answer: async () => textOf(await llm.chat(asked)),
  stream: async () => {
    let text = "";
    for await (const { delta } of await llm.chat({ ...asked, stream: true })) text += delta;
    return text;
  },
  tools: async () => {
    const parameters = z.object({ side: z.string() });
    const offered = { name: "read_keystone", description: played.description, parameters };
    const tools = [tool({ ...offered, execute: () => played.inscription })];
    const messages = [{ role: "user", content: played.useTool }];
    const { newMessages } = await llm.exec({ messages, tools });
    messages.push(...newMessages);
    return textOf(await llm.chat({ messages, tools }));
  },
  image: async () => {
    const image = { type: "image_url", image_url: { url: `data:image/png;base64,${played.pixel}` } };
    const content = [{ type: "text", text: played.question }, image];
    return textOf(await llm.chat({ messages: [{ role: "user", content }] }));
  },
  conversation: async () => {
    const messages = [];
    for (const content of played.turns) {
      messages.push({ role: "user", content });
      messages.push((await llm.chat({ messages })).message);
    }
    return textOf({ message: messages.at(-1) });
  },
});
