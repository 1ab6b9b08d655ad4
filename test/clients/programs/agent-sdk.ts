// Asks the Agent SDK one question, as a step says, and writes each message as a line of JSON.
import { query } from "@anthropic-ai/claude-agent-sdk";

const task = JSON.parse(process.argv[2] ?? "{}");
const answers = query({
  prompt: task.prompt,
  options: {
    agents: task.subagents,
    ...(task.model && { model: task.model }),
    permissionMode: "bypassPermissions",
    allowDangerouslySkipPermissions: true,
    ...(task.session === "continue" && { continue: true }),
    ...(task.session === "resume" && { resume: task.sessionId }),
    ...(task.schema && { outputFormat: { type: "json_schema", schema: task.schema } }),
  },
});
for await (const message of answers) process.stdout.write(`${JSON.stringify(message)}\n`);
