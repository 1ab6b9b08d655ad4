// The MCP server: its tools, the active skills as tools and as resources, for one connection of either era.
import { McpServer } from "@modelcontextprotocol/server";
import { registerActivation } from "../tools/activation.ts";
import { registerConfiguration } from "../tools/configuration.ts";
import { registerInvoking } from "../tools/invoking.ts";
import { NativeTools } from "../tools/native.ts";
import { registerReading } from "../tools/reading.ts";
import { registerDownload, registerUpload } from "../tools/sharing.ts";
import type { Services } from "../tools/tool.ts";
import { instructions } from "./instructions.ts";
import { skillResources } from "./skill-resources.ts";

type Options = {
  version: string;
  /** Whether skills are only read and used. */
  readOnly: boolean;
};

/** A factory for the SDK's ways to serve: each connection gets a server of its own. */
export function serverFactory(services: Services, { version, readOnly }: Options): () => Promise<McpServer> {
  const { api, active } = services;
  const resources = skillResources(api, active);
  return async () => {
    await active.firstAnswer();
    const server = new McpServer(
      { name: "archway-skills", title: "Archway skills", version },
      {
        instructions,
        capabilities: { tools: { listChanged: true }, resources: { listChanged: true } },
        // Changes at the same time lead to one notification of a client.
        debouncedNotificationMethods: ["notifications/tools/list_changed", "notifications/resources/list_changed"],
      },
    );
    registerReading(services, server);
    registerInvoking(services, server);
    registerDownload(services, server);
    if (!readOnly) {
      registerUpload(services, server);
      registerActivation(services, server);
      registerConfiguration(services, server);
    }
    resources.attach(server);
    const native = new NativeTools(services, server);
    const stop = active.follow(() => {
      native.follow();
      if (server.isConnected()) server.sendResourceListChanged();
    });
    server.server.onclose = stop;
    return server;
  };
}
