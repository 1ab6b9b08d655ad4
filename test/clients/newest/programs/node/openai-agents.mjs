import { createAnthropic } from "@ai-sdk/anthropic";
import { Agent, run, setTracingDisabled, tool, user } from "@openai/agents";
import { aisdk } from "@openai/agents-extensions/ai-sdk";
import * as z from "zod";
import * as played from "./played.mjs";

setTracingDisabled(true);
const model = aisdk(createAnthropic({ baseURL: `${played.url}/v1`, apiKey: played.key })(played.model));
const agent = (more) => new Agent({ name: "mason", instructions: "You know arches.", model, ...more });

await played.play({
  answer: async () => (await run(agent(), played.question)).finalOutput,
  stream: async () => {
    const result = await run(agent(), played.question, { stream: true });
    await result.completed;
    return result.finalOutput;
  },
  tools: async () => {
    const read_keystone = tool({
      name: "read_keystone",
      description: played.description,
      parameters: z.object({ side: z.string() }),
      execute: async () => played.inscription,
    });
    return (await run(agent({ tools: [read_keystone] }), played.useTool)).finalOutput;
  },
  image: async () => {
    const image = { type: "input_image", image: `data:image/png;base64,${played.pixel}` };
    return (await run(agent(), [user([image, { type: "input_text", text: played.question }])])).finalOutput;
  },
  conversation: async () => {
    let history = [];
    let last;
    for (const turn of played.turns) {
      const result = await run(agent(), [...history, user(turn)]);
      history = result.history;
      last = result.finalOutput;
    }
    return last;
  },
});
