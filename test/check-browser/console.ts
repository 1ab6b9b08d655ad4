// Serves the smallest console at the address that the stack's file registers for the console.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import { appClient } from "../../local/demo/app-client.ts";
import type { Stack } from "../../local/running-stack.ts";

const require = createRequire(import.meta.url);
const files: Record<string, { path: string; type: string }> = {
  "/console.js": { path: require.resolve("./console.js"), type: "text/javascript" },
  "/oauth4webapi.js": { path: require.resolve("oauth4webapi"), type: "text/javascript" },
};
const page = { path: require.resolve("./console.html"), type: "text/html" };

/** @returns its origin, e.g. `http://localhost:5173`, and what ends it. */
export async function serveConsole(stack: Stack) {
  const { origin, port } = new URL(appClient(stack.program, "console").redirect_uri);
  const config = JSON.stringify(configOf(stack));
  const server = http.createServer(({ url = "/" }, response) => {
    if (url === "/config.json") return response.writeHead(200, { "content-type": "application/json" }).end(config);
    const { path, type } = files[url] ?? page;
    return response.writeHead(200, { "content-type": type }).end(readFileSync(path));
  });
  server.listen(Number(port), "localhost");
  await once(server, "listening");
  return { origin, close: () => server.close() };
}

/** What a console is told when it is built; the rest is at `/.well-known/archway.json`. On AWS the pool's API is at the issuer's host. */
function configOf({ aws, at }: Stack) {
  return { platform_url: at("api"), user_pool_url: aws };
}
