import Anthropic from "@anthropic-ai/sdk";
import { betaZodTool } from "@anthropic-ai/sdk/helpers/beta/zod";
import * as z from "zod";
import * as played from "./played.mjs";

const client = new Anthropic({ baseURL: played.url, apiKey: played.key });
const limits = { model: played.model, max_tokens: 4_000 };
const user = (content) => ({ role: "user", content });
const asked = { ...limits, messages: [user(played.question)] };
const text = ({ content }) => content.map((block) => block.text ?? "").join("");
const stream = async (more) => text(await client.messages.stream({ ...asked, ...more }).finalMessage());

await played.play({
  answer: async () => text(await client.messages.create(asked)),
  stream,
  tools: async () => {
    const tool = betaZodTool({
      name: "read_keystone",
      description: played.description,
      inputSchema: z.object({ side: z.string() }),
      run: () => played.inscription,
    });
    const messages = [user(played.useTool)];
    return text(await client.beta.messages.toolRunner({ ...limits, messages, tools: [tool] }));
  },
  thinking: () => stream({ thinking: played.adaptive }),
  image: () => {
    const source = { type: "base64", media_type: "image/png", data: played.pixel };
    return stream({
      messages: [
        user([
          { type: "image", source },
          { type: "text", text: played.question },
        ]),
      ],
    });
  },
  cache: () => {
    const system = [{ type: "text", text: played.longText, cache_control: { type: "ephemeral", ttl: "1h" } }];
    return played.twice(() => stream({ system }));
  },
  conversation: async () => {
    const messages = [];
    for (const turn of played.turns) {
      messages.push(user(turn));
      const { content } = await client.messages.create({ ...limits, messages, thinking: played.adaptive });
      messages.push({ role: "assistant", content });
    }
    return text(messages.at(-1));
  },
});
