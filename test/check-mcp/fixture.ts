// An MCP server with the tools, prompts and resources by which the conformance suite judges what a gateway passes on.
import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer, ResourceTemplate } from "@modelcontextprotocol/server";
import * as z from "zod";

const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
const silence = Buffer.concat([Buffer.from("RIFF$\0\0\0WAVEfmt \x10\0\0\0"), Buffer.alloc(24)]).toString("base64");

const text = (words: string) => ({ type: "text" as const, text: words });
const image = { type: "image" as const, data: dot, mimeType: "image/png" };
const resource = (name: string, mimeType: string, words: string) => ({
  type: "resource" as const,
  resource: { uri: `test://${name}`, mimeType, text: words },
});

const tools = {
  test_simple_text: [text("This is a simple text response for testing.")],
  test_image_content: [image],
  test_audio_content: [{ type: "audio" as const, data: silence, mimeType: "audio/wav" }],
  test_embedded_resource: [resource("embedded-resource", "text/plain", "This is an embedded resource content.")],
  test_multiple_content_types: [
    text("Multiple content types test:"),
    image,
    resource("mixed-content-resource", "application/json", '{"test":"data","value":123}'),
  ],
};

function fixture(): McpServer {
  const server = new McpServer({ name: "fixture", version: "1.0.0" });
  for (const [name, content] of Object.entries(tools)) {
    server.registerTool(name, { description: `Answers as ${name} should` }, async () => ({ content }));
  }
  server.registerTool("test_error_handling", { description: "Always fails" }, async () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
  addPrompts(server);
  addResources(server);
  return server;
}

const saying = (...content: (ReturnType<typeof text> | typeof image | ReturnType<typeof resource>)[]) => ({
  messages: content.map((one) => ({ role: "user" as const, content: one })),
});

function addPrompts(server: McpServer): void {
  server.registerPrompt("test_simple_prompt", { description: "A sentence" }, () =>
    saying(text("This is a simple prompt for testing.")),
  );
  server.registerPrompt(
    "test_prompt_with_arguments",
    { description: "A sentence with two arguments", argsSchema: z.object({ arg1: z.string(), arg2: z.string() }) },
    ({ arg1, arg2 }) => saying(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  );
  server.registerPrompt(
    "test_prompt_with_embedded_resource",
    { description: "A resource of any address", argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) =>
      saying(resource(resourceUri.replace("test://", ""), "text/plain", "Embedded resource content")),
  );
  server.registerPrompt("test_prompt_with_image", { description: "A picture" }, () => saying(image));
}

function addResources(server: McpServer): void {
  server.registerResource("text", "test://static-text", { mimeType: "text/plain" }, async ({ href }) => ({
    contents: [{ uri: href, mimeType: "text/plain", text: "This is the content of the static text resource." }],
  }));
  server.registerResource("binary", "test://static-binary", { mimeType: "image/png" }, async ({ href }) => ({
    contents: [{ uri: href, mimeType: "image/png", blob: dot }],
  }));
  server.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", { list: undefined }),
    { mimeType: "application/json" },
    async ({ href }, { id }) => ({
      contents: [{ uri: href, mimeType: "application/json", text: JSON.stringify({ id, templateTest: true }) }],
    }),
  );
}

/** Both eras, on any free port. */
export function fixtureServer() {
  const handler = toNodeHandler(createMcpHandler(fixture));
  return createServer((request, response) => void handler(request as never, response)).listen(0, "127.0.0.1");
}
