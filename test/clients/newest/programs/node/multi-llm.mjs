import * as multi from "multi-llm-ts";
import * as played from "./played.mjs";

const engine = multi.igniteEngine("anthropic", { apiKey: played.key, baseURL: played.url });
const model = multi.buildModel ? multi.buildModel("anthropic", played.model) : engine.buildModel(played.model);

await played.play({
  answer: async () => (await engine.complete(model, [new multi.Message("user", played.question)])).content,
  stream: async () => {
    let text = "";
    for await (const chunk of engine.generate(model, [new multi.Message("user", played.question)])) {
      text += chunk.text ?? "";
    }
    return text;
  },
});
