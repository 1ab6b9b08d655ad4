// A CloudFront distribution: runs its edge function on each viewer request, then asks its origin and passes the answer on.
import nodeCrypto, { randomUUID } from "node:crypto";
import http, { type ServerResponse } from "node:http";
import { finished, Readable } from "node:stream";
import vm from "node:vm";
import { endToEnd, type HttpRequest, splitUrl } from "../../emulators/lambda/event.ts";
import type { OriginAnswer } from "../../emulators/lambda/function-url.ts";
import type { DeclaredResource, Resources } from "../../emulators/pulumi/resources.ts";
import { headersPolicy } from "../../emulators/pulumi/services/cloudfront.ts";
import { type LocalPlatform, reachableHeaders } from "./console-addresses.ts";
import { corsPolicyHeaders, policyHeaders } from "./response-headers.ts";

/** A function URL or a bucket, which answers for the distribution. */
export type Origin = { serve(request: HttpRequest): Promise<OriginAnswer> };

type EdgeHeaders = Record<string, { value: string }>;
/** Cookies are no headers to an edge function (docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/functions-event-structure.html). */
type EdgeCookies = Record<string, { value: string }>;
type EdgeRequest = {
  method: string;
  uri: string;
  querystring: object;
  headers: EdgeHeaders;
  cookies: EdgeCookies;
  rawQueryString(): string | undefined;
};
/**
 * The argument of `cf.updateRequestOrigin`
 * (docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/helper-functions-origin-modification.html).
 */
type MovedOrigin = { domainName: string; hostHeader?: string };
type EdgeResponse = { statusCode: number; headers?: EdgeHeaders; body?: { data: string } | string };

export class Distribution {
  /** Host patterns, e.g. `*.proxy.localhost`. */
  readonly aliases: string[];
  /** CloudFront takes far larger bodies than any origin here. */
  readonly maxBodyBytes = 64 * 1024 * 1024;
  readonly #origin: Origin;
  readonly #addedHeaders: Record<string, string>;
  readonly #corsHeaders: Record<string, string>;
  readonly #originHeaders: Record<string, string>;
  readonly #readTimeoutMs: number;
  readonly #now: () => number;
  readonly #edgeFunction: vm.Script | undefined;
  readonly #globals = vm.createContext({ event: {}, cf: {}, crypto: { createHmac: nodeCrypto.createHmac } });

  constructor(
    declared: DeclaredResource,
    resources: Resources,
    { originByHost, local, now }: { originByHost: (host: string) => Origin; local: LocalPlatform; now: () => number },
  ) {
    this.#now = now;
    // The edge function's clock is the stack's.
    vm.runInContext("Date.now = () => now()", Object.assign(this.#globals, { now: () => this.#now() }));
    const { aliases, origins, defaultCacheBehavior } = declared.inputs;
    this.aliases = aliases;
    const [origin] = origins;
    if (origins.length !== 1 || origin.originId !== defaultCacheBehavior.targetOriginId) {
      throw new Error(`Distribution "${declared.name}": the local stack knows one origin, the default behaviour's.`);
    }
    this.#origin = originByHost(origin.domainName);
    this.#originHeaders = Object.fromEntries(
      (origin.customHeaders ?? []).map(({ name, value }: { name: string; value: string }) => [
        name.toLowerCase(),
        value,
      ]),
    );
    // CloudFront waits 30 seconds for a bucket (docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/RequestAndResponseBehaviorS3Origin.html).
    this.#readTimeoutMs = (origin.customOriginConfig?.originReadTimeout ?? 30) * 1000;
    const policy = resources
      .ofType(headersPolicy.type)
      .find(({ outputs }) => outputs.id === defaultCacheBehavior.responseHeadersPolicyId);
    this.#addedHeaders = policy ? reachableHeaders(policyHeaders(policy), local) : {};
    this.#corsHeaders = policy ? corsPolicyHeaders(policy) : {};
    this.#edgeFunction = edgeFunctionOf(defaultCacheBehavior.functionAssociations ?? [], resources);
  }

  matches(host: string): boolean {
    return this.aliases.some((alias) =>
      alias.startsWith("*.")
        ? host.endsWith(alias.slice(1)) && !host.slice(0, host.length - alias.length + 1).includes(".")
        : host === alias,
    );
  }

  async serve(request: HttpRequest, response: ServerResponse, edge: string): Promise<void> {
    const { viewer, moved } = this.#runEdgeFunction(request);
    if ("statusCode" in viewer) {
      const body = typeof viewer.body === "string" ? viewer.body : (viewer.body?.data ?? "");
      response.writeHead(viewer.statusCode, valuesOf(viewer.headers ?? {})).end(body);
      return;
    }
    // The policy AllViewerExceptHostHeader passes everything but the host, which names the origin.
    const { host: _host, ...headers } = endToEnd(valuesOf(viewer.headers));
    const [, query] = splitUrl(request.url);
    const url = query === "" ? viewer.uri : `${viewer.uri}?${query}`;
    const cookie = Object.entries(viewer.cookies).map(([name, { value }]) => `${name}=${value}`);
    const cookies = cookie.length > 0 && { cookie: cookie.join("; ") };
    const asked = { ...request, url, headers: { ...headers, ...cookies, ...this.#originHeaders } };
    const answer = await this.#ask(moved ? askHost(asked, moved, edge) : this.#origin.serve(asked));
    if (answer === undefined) return gatewayTimeout(response);
    const added = { ...this.#addedHeaders, ...(request.headers.origin !== undefined && this.#corsHeaders) };
    response.writeHead(answer.status, { ...answer.headers, ...added, "x-cache": "Miss from cloudfront" });
    if (typeof answer.body === "string") response.end(answer.body);
    else this.#pass(answer.body, response);
  }

  async #ask(answer: Promise<OriginAnswer>) {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), this.#readTimeoutMs);
    });
    return Promise.race([answer, timeout]).finally(() => clearTimeout(timer));
  }

  /** Passes bytes on as they come. A viewer that leaves does not stop the origin. An origin that stalls is cut off. */
  #pass(body: Readable, response: ServerResponse): void {
    response.flushHeaders();
    const timer = setTimeout(() => response.destroy(), this.#readTimeoutMs);
    body.on("data", (chunk) => {
      timer.refresh();
      if (response.destroyed || response.writableEnded) return;
      if (response.write(chunk)) return;
      body.pause();
      response.once("drain", () => body.resume());
    });
    response.once("close", () => body.resume());
    finished(body, (error) => {
      clearTimeout(timer);
      if (error) response.destroy();
      else response.end();
    });
  }

  #runEdgeFunction(request: HttpRequest): { viewer: EdgeRequest | EdgeResponse; moved?: MovedOrigin } {
    const { cookie, ...others } = request.headers;
    const headers: EdgeHeaders = Object.fromEntries(Object.entries(others).map(([name, value]) => [name, { value }]));
    const [uri, query] = splitUrl(request.url);
    const rawQueryString = () => (request.url.includes("?") ? query : undefined);
    const edgeRequest: EdgeRequest = {
      method: request.method,
      uri,
      querystring: {},
      headers,
      cookies: edgeCookies(cookie),
      rawQueryString,
    };
    if (!this.#edgeFunction) return { viewer: edgeRequest };
    const event = {
      version: "1.0",
      context: { eventType: "viewer-request", requestId: randomUUID() },
      viewer: { ip: request.sourceIp },
      request: edgeRequest,
    };
    this.#globals.event = event;
    let moved: MovedOrigin | undefined;
    this.#globals.cf = {
      updateRequestOrigin: (origin: MovedOrigin) => {
        moved = { ...origin };
      },
    };
    // The function runs without a limit of time, for which Node would start a thread for each request. CloudFront stops one
    // after about a millisecond of CPU time.
    const viewer = this.#edgeFunction.runInContext(this.#globals);
    return { viewer, ...(moved && { moved }) };
  }
}

function edgeFunctionOf(
  associations: { eventType: string; functionArn: string }[],
  resources: Resources,
): vm.Script | undefined {
  const [association] = associations;
  if (!association) return undefined;
  if (associations.length > 1 || association.eventType !== "viewer-request") {
    throw new Error("The local stack knows one edge function of a distribution, on viewer-request.");
  }
  const declared = resources.byArn(association.functionArn);
  if (!declared) throw new Error(`The distribution's edge function ${association.functionArn} is not declared.`);
  // The function around the code makes its declarations new for each request. A VM context for each request would cost the stack
  // more than the rest of the call.
  // CloudFront's own modules are globals of the context.
  const body = String(declared.inputs.code).replace(/^import (cf|crypto) from '(cloudfront|crypto)';$/gm, "");
  const code = `(() => {\n${body}\nreturn handler(event);\n})()`;
  return new vm.Script(code, { filename: `${declared.name}.js`, lineOffset: -1 });
}

/** Asks an origin that the edge function chose in place of the declared one: a host of AWS, which the edge serves, too. */
function askHost(request: HttpRequest, { domainName, hostHeader = domainName }: MovedOrigin, edge: string) {
  return new Promise<OriginAnswer>((resolve, reject) => {
    const { method, url, headers, body } = request;
    const asked = http.request(new URL(url, edge), { method, headers: { ...headers, host: hostHeader } }, (answer) => {
      resolve({
        status: answer.statusCode ?? 502,
        headers: endToEnd(answer.headers) as OriginAnswer["headers"],
        body: answer,
      });
    });
    asked.once("error", reject);
    asked.end(body);
  });
}

function edgeCookies(header: string | undefined): EdgeCookies {
  const pairs = (header ?? "").split(/;\s*/).filter((pair) => pair.includes("="));
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      return [pair.slice(0, at), { value: pair.slice(at + 1) }];
    }),
  );
}

function valuesOf(headers: EdgeHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, { value }]) => [name, value]));
}

function gatewayTimeout(response: ServerResponse): void {
  response.writeHead(504, { "content-type": "text/html" });
  Readable.from(["<html><body>504 Gateway Timeout: the origin did not answer in time.</body></html>"]).pipe(response);
}
