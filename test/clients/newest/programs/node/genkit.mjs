import { anthropic } from "@genkit-ai/anthropic";
import { genkit } from "genkit";
import * as played from "./played.mjs";

const plugin = anthropic({ apiKey: played.key, baseURL: played.url });
const ai = genkit({ plugins: [plugin], model: anthropic.model(played.model) });

await played.play({
  answer: async () => (await ai.generate(played.question)).text,
  stream: async () => {
    const { stream, response } = ai.generateStream(played.question);
    for await (const _ of stream);
    return (await response).text;
  },
});
