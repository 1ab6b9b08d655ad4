// An MCP server with the tools by which the conformance suite judges what a gateway passes on.
import { createServer } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";

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
  return server;
}

/** Both eras, on any free port. */
export function fixtureServer() {
  const handler = toNodeHandler(createMcpHandler(fixture));
  return createServer((request, response) => void handler(request as never, response)).listen(0, "127.0.0.1");
}
