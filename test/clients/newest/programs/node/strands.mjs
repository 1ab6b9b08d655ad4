import { Agent, ImageBlock, TextBlock, tool } from "@strands-agents/sdk";
import { AnthropicModel } from "@strands-agents/sdk/models/anthropic";
import * as z from "zod";
import * as played from "./played.mjs";

const agent = ({ params = {}, ...more } = {}) => {
  const clientConfig = { baseURL: played.url };
  const model = new AnthropicModel({
    modelId: played.model,
    apiKey: played.key,
    clientConfig,
    maxTokens: 4_000,
    params,
  });
  return new Agent({ model, printer: false, ...more });
};
const thinks = { params: { thinking: played.adaptive } };

await played.play({
  stream: async () => `${await agent().invoke(played.question)}`,
  tools: async () => {
    const read_keystone = tool({
      name: "read_keystone",
      description: played.description,
      inputSchema: z.object({ side: z.string() }),
      callback: () => played.inscription,
    });
    return `${await agent({ tools: [read_keystone] }).invoke(played.useTool)}`;
  },
  thinking: async () => `${await agent(thinks).invoke(played.question)}`,
  image: async () => {
    const image = new ImageBlock({ format: "png", source: { bytes: Buffer.from(played.pixel, "base64") } });
    return `${await agent().invoke([new TextBlock(played.question), image])}`;
  },
  conversation: async () => {
    const mason = agent(thinks);
    let last;
    for (const turn of played.turns) last = await mason.invoke(turn);
    return `${last}`;
  },
});
