// Streams one message with the Anthropic SDK, which reads ANTHROPIC_BASE_URL and ANTHROPIC_API_KEY.
import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic();
const stream = client.messages.stream({
  model: "claude-sonnet-5",
  max_tokens: 200,
  messages: [{ role: "user", content: "What is an arch?" }],
});
stream.on("text", (text) => process.stdout.write(text));
const { usage } = await stream.finalMessage();
console.log(`\n\n${usage.input_tokens} tokens in, ${usage.output_tokens} out`);
