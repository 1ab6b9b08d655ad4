import { query } from "@anthropic-ai/claude-agent-sdk";
import * as played from "./played.mjs";

async function ask(prompt, more) {
  const options = {
    model: played.model,
    permissionMode: "bypassPermissions",
    allowDangerouslySkipPermissions: true,
    ...more,
  };
  let said = "";
  for await (const message of query({ prompt, options })) said += `${JSON.stringify(message)}\n`;
  return said;
}

await played.play({
  stream: () => ask(played.question),
  tools: () => ask("Use the tool Read once."),
  conversation: async () => {
    let said = "";
    for (const turn of played.turns) said = await ask(turn, { continue: said !== "" });
    return said;
  },
});
