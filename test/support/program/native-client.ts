// A substitute for the native part of AWS's runtime client (`rapid-client.node`, which would have to be compiled): the same
// three functions over Node's HTTP. Node loads this file before the client, which then finds it in place of its own.
import http from "node:http";
import https from "node:https";
import { registerHooks, syncBuiltinESMExports } from "node:module";

const [hostname, port] = (process.env.AWS_LAMBDA_RUNTIME_API ?? "").split(":");
const agent = new http.Agent({ keepAlive: true });
let posted: Promise<unknown> = Promise.resolve();

/** The next event; like the native client not before the last answer has arrived. */
export async function next() {
  await posted;
  return call("GET", "next");
}

export function done(id: string, body: string): void {
  posted = call("POST", `${id}/response`, body);
}

export function error(id: string, body: string, xray: string): void {
  posted = call("POST", `${id}/error`, body, {
    "lambda-runtime-function-error-type": JSON.parse(body).errorType ?? "Unknown",
    "lambda-runtime-function-xray-error-cause": xray.replace(/[\r\n]/g, ""),
  });
}

function call(method: string, path: string, body = "", headers: http.OutgoingHttpHeaders = {}) {
  return new Promise<{ bodyJson: string; headers: http.IncomingHttpHeaders }>((resolve, reject) => {
    const options = { hostname, port, agent, method, headers, path: `/2018-06-01/runtime/invocation/${path}` };
    const request = http.request(options, (response) => {
      let bodyJson = "";
      response.setEncoding("utf8");
      response.on("data", (text) => {
        bodyJson += text;
      });
      response.on("end", () => resolve({ bodyJson, headers: response.headers }));
    });
    request.on("error", reject).end(body);
  });
}

registerHooks({
  resolve: (specifier, context, nextResolve) =>
    specifier.endsWith("/rapid-client.node")
      ? { url: import.meta.url, shortCircuit: true }
      : nextResolve(specifier, context),
});

// HTTPS goes to the local stack's edge, which knows hosts by their names: there is no certificate for AWS's own.
const edge = process.env.LOCAL_EDGE;
if (edge) {
  https.request = ((
    url: URL | string,
    options: http.RequestOptions,
    callback: (answer: http.IncomingMessage) => void,
  ) => {
    const { host, pathname, search } = new URL(url);
    const { agent: _agent, ...rest } = options;
    return http.request(`${edge}${pathname}${search}`, { ...rest, headers: { ...rest.headers, host } }, callback);
  }) as typeof https.request;
  syncBuiltinESMExports();
}
