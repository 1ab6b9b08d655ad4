// Serves several hosts on one port, told apart by their names, as functions find them.
import http, { type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

/** Starts a server with a listener for each host. An unknown host is 404. */
export async function serveHosts(hosts: Record<string, RequestListener>) {
  const server = http.createServer((request, response) => {
    const name = (request.headers.host ?? "").replace(/:\d+$/, "");
    const listener = hosts[name];
    if (listener) listener(request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type HostServer = Awaited<ReturnType<typeof serveHosts>>;
