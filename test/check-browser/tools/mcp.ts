// An owner opens an MCP gateway, gives its form data to a client, adds an MCP server, verifies it, and sees its calls.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { ask, registeredClient, signInConnector } from "../../support/mcp/connector.ts";
import { inspect } from "../inspect.ts";
import type { Stage } from "../stage.ts";
import { inspectorPrints, isInspectorThere } from "./inspector.ts";

const secret = "a-pets-token";

/** An MCP server with one tool, which takes the secret. */
function petServer() {
  const handle = toNodeHandler(
    createMcpHandler(() => {
      const server = new McpServer({ name: "pets", version: "1.0.0" });
      const inputSchema = z.object({ pet: z.string() });
      server.registerTool("feed", { description: "Feeds a pet", inputSchema }, async ({ pet }) => ({
        content: [{ type: "text", text: `${pet} is fed` }],
      }));
      return server;
    }),
  );
  return createServer((request, response) => {
    if (request.headers.authorization !== `Bearer ${secret}`) return void response.writeHead(401).end();
    void handle(request as never, response);
  });
}

const petApi = {
  openapi: "3.1.0",
  info: { title: "Pets", version: "1" },
  paths: {
    "/pets": { get: { operationId: "listPets" } },
    "/pets/photo": { put: { requestBody: { required: true, content: { "image/png": {} } } } },
  },
};

/** @returns problems of the pages that it leads to */
export async function mcp(stage: Stage): Promise<string[]> {
  const { stack } = stage;
  const owner = await stage.owner();
  const { page, person } = owner;
  const upstream = petServer().listen(0, "127.0.0.1");
  await new Promise((done) => upstream.once("listening", done));
  const server = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const host = { addresses: ["93.184.215.14"], server };
  stack.hosts.put({ "mcp.pets.example": host, "api.pets.example": host });
  try {
    await page.goto(`${stack.console}/mcp`);
    await page.getByRole("button", { name: "Create the gateway" }).click();
    await page.getByRole("heading", { name: "For the form of your assistant" }).waitFor();
    const dialog = page.getByRole("dialog");
    const endpoint = await dialog.getByRole("region", { name: "URL" }).innerText();
    const problems = await inspect(page, "mcp-form-data", { isPictured: true });
    await page.getByRole("button", { name: "I have stored it" }).click();
    await page.getByText("Ready.").waitFor();
    const kept = await page.evaluate<string>("JSON.stringify([{ ...localStorage }, { ...sessionStorage }])");
    if (/client_secret/.test(kept)) throw new Error("the secret of the gateway is in the browser's storage");
    console.log("  a gateway, its form data shown once");

    await page.getByRole("button", { name: "Add your own" }).click();
    await dialog.getByLabel("Name").fill("pets");
    await dialog.getByLabel("Address").fill("https://mcp.pets.example/mcp");
    await dialog.getByLabel("Kind").last().selectOption("bearer");
    await dialog.getByLabel("Token").fill("wrong");
    await dialog.getByRole("button", { name: "Add" }).click();
    await dialog.getByRole("alert").filter({ hasText: "credential_refused" }).waitFor();
    await dialog.getByLabel("Token").fill(secret);
    await dialog.getByRole("button", { name: "Add" }).click();
    await page.getByRole("heading", { name: "pets", level: 1 }).waitFor();
    await page.getByText("ready. Registered").waitFor();
    await page.getByRole("button", { name: "Verify" }).click();
    await page.getByText("It answers, with 1 tool.").waitFor();
    console.log("  an MCP server added and verified; a wrong credential is refused before anything is kept");

    const address = page.url();
    await page.goto(`${stack.console}/mcp`);
    await page.getByRole("button", { name: "Copy command for the MCP Inspector" }).click();
    const listing = await page.evaluate<string>("navigator.clipboard.readText()");
    if (!isInspectorThere()) console.log("  the Inspector is not installed: npm ci --prefix test/clients");
    else if (!/"name":\s*"pets___feed"/.test(await inspectorPrints(owner, listing)))
      throw new Error("the Inspector does not list the tool");
    else console.log("  the Inspector lists the tool by the copied command, signed in at the page that it opens");

    const clientId = await registeredClient(endpoint);
    const { tokens } = await signInConnector({ endpoint, clientId, person });
    const token = tokens.access_token;
    const { message } = await ask(endpoint, token, "tools/call", { name: "pets___feed", arguments: { pet: "Rex" } });
    if (message?.result?.content?.[0]?.text !== "Rex is fed")
      throw new Error(`the tool said ${JSON.stringify(message)}`);
    await page.goto(address);
    await page.getByRole("row", { name: /feed/ }).filter({ hasText: "pet" }).filter({ hasText: "ok" }).waitFor();
    problems.push(...(await inspect(page, "mcp-integration", { isPictured: true })));
    console.log("  a client signs in with the shown address, calls the tool, and the call is in the logs");

    await page.goto(`${stack.console}/mcp`);
    await page.getByRole("button", { name: "Add your own" }).click();
    await dialog.getByLabel("Name").fill("api");
    await dialog.getByLabel("Kind").first().selectOption("openapi");
    await dialog.getByLabel("or its text").fill(JSON.stringify(petApi));
    await dialog.getByRole("button", { name: "See what becomes of it" }).click();
    await dialog.getByText("give it as base_url").first().waitFor();
    await dialog.getByLabel("Address of the API").fill("https://api.pets.example/v1");
    await dialog.getByRole("button", { name: "See what becomes of it" }).click();
    await dialog.getByText("1 operation as in the document, 0 with a difference, 1 not offered").waitFor();
    problems.push(...(await inspect(page, "mcp-document")));
    await dialog.getByRole("button", { name: "Add" }).click();
    await page.getByRole("heading", { name: "Its document" }).waitFor();
    await page.getByRole("button", { name: "New document" }).click();
    await dialog
      .getByLabel("or its text")
      .fill(JSON.stringify({ ...petApi, paths: { "/pets": { get: {}, delete: {} } } }));
    await dialog.getByRole("button", { name: "See what becomes of it" }).click();
    await dialog.getByText("added: delete_pets").waitFor();
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("api___delete_pets").waitFor();
    console.log("  an API's document is checked, added with an address, and replaced");
    return problems;
  } finally {
    upstream.closeAllConnections();
    upstream.close();
  }
}
