import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText, isStepCount, stepCountIs, streamText, tool } from "ai";
import * as z from "zod";
import * as played from "./played.mjs";

const claude = createAnthropic({ baseURL: `${played.url}/v1`, apiKey: played.key })(played.model);
const asked = { model: claude, prompt: played.question };
const text = async (more) => (await generateText({ ...asked, ...more })).text;
const anthropic = (options) => ({ providerOptions: { anthropic: options } });
const user = (content) => ({ role: "user", content });

await played.play({
  answer: () => text(),
  stream: async () => await streamText(asked).text,
  tools: () => {
    const inputSchema = z.object({ side: z.string() });
    const read_keystone = tool({ description: played.description, inputSchema, execute: () => played.inscription });
    const stopWhen = (stepCountIs ?? isStepCount)(2);
    return text({ prompt: played.useTool, tools: { read_keystone }, stopWhen });
  },
  thinking: () => text(anthropic({ thinking: played.adaptive })),
  image: () => {
    const image = { type: "file", mediaType: "image/png", data: played.pixel };
    return text({ prompt: undefined, messages: [user([image, { type: "text", text: played.question }])] });
  },
  cache: () => {
    const system = {
      role: "system",
      content: played.longText,
      ...anthropic({ cacheControl: { type: "ephemeral", ttl: "1h" } }),
    };
    return played.twice(() => text({ system }));
  },
  conversation: async () => {
    const messages = [];
    let last = "";
    for (const turn of played.turns) {
      messages.push(user(turn));
      const { response, text } = await generateText({
        model: claude,
        messages,
        ...anthropic({ thinking: played.adaptive }),
      });
      messages.push(...response.messages);
      last = text;
    }
    return last;
  },
});
