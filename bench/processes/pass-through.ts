// The least that a proxy in Node.js can be: hands the request on and the answer back, and looks at neither.
import { Agent, request as send } from "node:http";
import { pipeline } from "node:stream";
import { serve } from "./child.ts";

const { hostname, port } = new URL(process.env.MODEL_HOST_URL ?? "");
const agent = new Agent({ keepAlive: true });

serve((request, response) => {
  const { method, url, headers } = request;
  const upstream = send({ agent, hostname, port, method, path: url, headers }, (answer) => {
    if (response.destroyed) return void answer.destroy();
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    pipeline(answer, response, () => {});
  });
  upstream.on("error", () => response.destroy());
  pipeline(request, upstream, () => {});
});
