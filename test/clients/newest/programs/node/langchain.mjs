import { ChatAnthropic } from "@langchain/anthropic";
import { HumanMessage, SystemMessage } from "@langchain/core/messages";
import { tool } from "@langchain/core/tools";
import { createAgent } from "langchain";
import * as z from "zod";
import * as played from "./played.mjs";

const claude = (more) =>
  new ChatAnthropic({
    model: played.model,
    anthropicApiUrl: played.url,
    apiKey: played.key,
    maxTokens: 4_000,
    ...more,
  });
const thinks = () => claude({ thinking: played.adaptive });

await played.play({
  answer: async () => (await claude().invoke(played.question)).text,
  stream: async () => {
    let text = "";
    for await (const chunk of await claude().stream(played.question)) text += chunk.text;
    return text;
  },
  tools: async () => {
    const schema = z.object({ side: z.string() });
    const offered = tool(() => played.inscription, {
      name: "read_keystone",
      description: played.description,
      schema,
    });
    const agent = createAgent({ model: claude(), tools: [offered] });
    return (await agent.invoke({ messages: [new HumanMessage(played.useTool)] })).messages.at(-1)?.text;
  },
  thinking: async () => (await thinks().invoke(played.question)).text,
  image: async () => {
    const image = { type: "image", data: played.pixel, mimeType: "image/png" };
    return (await claude().invoke([new HumanMessage({ content: [image, { type: "text", text: played.question }] })]))
      .text;
  },
  cache: async () => {
    const text = { type: "text", text: played.longText, cache_control: { type: "ephemeral" } };
    const messages = [new SystemMessage({ content: [text] }), new HumanMessage(played.question)];
    return (await played.twice(() => claude().invoke(messages))).text;
  },
  conversation: async () => {
    const messages = [];
    for (const turn of played.turns) {
      messages.push(new HumanMessage(turn));
      messages.push(await thinks().invoke(messages));
    }
    return messages.at(-1).text;
  },
});
