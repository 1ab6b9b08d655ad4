// The server's own factory over HTTP, for judges that speak no stdio: one address, on this machine.
import { createServer, type Server } from "node:http";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { createMcpHandler } from "@modelcontextprotocol/server";
import type { Machine } from "../../../packages/command-line/machine/machine.ts";
import { openSession } from "../../../packages/sign-in/session.ts";
import { serverFactory } from "../../../packages/skills-mcp/server/server.ts";
import { servicesOf } from "../../../packages/skills-mcp/server/services.ts";

/** @param machine whose home has a sign-in */
export async function httpServer(machine: Machine): Promise<Server> {
  const services = servicesOf(openSession(machine), { workingDirectory: machine.home });
  await services.active.refresh();
  const handler = createMcpHandler(serverFactory(services, { version: "0.0.0", readOnly: false }), {
    onerror: (error) => process.stderr.write(`${error.stack}\n`),
  });
  const server = createServer((request, response) => {
    void toNodeHandler(handler)(request as Parameters<ReturnType<typeof toNodeHandler>>[0], response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}
