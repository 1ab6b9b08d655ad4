// The one address that stands for AWS: finds the service, the caller and the rights of each call, then lets it through.
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Clock } from "../clock.ts";
import type { Iam } from "../iam/iam.ts";
import { splitUrl } from "../lambda/event.ts";
import { readBody } from "../request-body.ts";
import type { Call, Calls } from "./calls.ts";
import { authError, failureWithoutService, isDenial } from "./common-errors.ts";
import type { Credentials } from "./credentials.ts";
import { ConnectionCut, type Faults } from "./faults.ts";
import { AwsError, type AwsRequest, type AwsResponse, type AwsService } from "./service.ts";
import { authenticate, type Claim, claimOf } from "./signature.ts";

type AwsEndpointOptions = {
  services: AwsService[];
  iam: Iam;
  credentials: Credentials;
  clock: Clock;
  calls: Calls;
  faults: Faults;
  /** The endpoint calls this for each call once its caller is known, before IAM is asked. The record is completed later. */
  onCall?: (call: Readonly<Call>) => void;
};

/** The one service that takes calls without a signature, by the prefix of their `x-amz-target`. */
const unsigned = { target: "AWSCognitoIdentityProviderService.", service: "cognito-idp" };

/** InvokeModel takes 20 MB, the most of all services here; a JSON envelope comes on top. */
const maxBodyBytes = 21 * 1024 * 1024;

/** Browsers ask before they call. A service whose answers name no origin stays closed to them. */
const preflight: AwsResponse = {
  status: 200,
  headers: {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "POST",
    "access-control-allow-headers":
      "content-type, x-amz-target, x-amz-user-agent, amz-sdk-invocation-id, amz-sdk-request",
  },
  body: "",
};

export class AwsEndpoint {
  readonly #options: AwsEndpointOptions;
  readonly #services: ReadonlyMap<string, AwsService>;
  readonly #server: Server;

  constructor(options: AwsEndpointOptions) {
    this.#options = options;
    this.#services = new Map(options.services.map((service) => [service.signingName, service]));
    if (this.#services.size < options.services.length) throw new Error("Two services have the same signing name");
    // The server has no timeouts: a client must never meet a connection that is just being closed for idleness.
    const timeouts = { keepAliveTimeout: 0, requestTimeout: 0 };
    this.#server = createServer(timeouts, (incoming, outgoing) => void this.#serve(incoming, outgoing));
  }

  /** Starts on 127.0.0.1, by default on any free port, and gives its URL. */
  async listen(port = 0): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once("error", reject).listen(port, "127.0.0.1", resolve);
    await promise;
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Stops at once; calls under way lose their connection. */
  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    await promise;
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const left = new AbortController();
    // Only a call that still goes on is aborted: an abort makes an error with a stack, which costs much.
    outgoing.once("close", () => {
      if (!outgoing.writableFinished) left.abort();
    });
    try {
      const answer = await this.#answer(incoming, left.signal);
      const date = new Date(this.#options.clock.now()).toUTCString();
      await send(outgoing, { ...answer, headers: { "x-amzn-requestid": randomUUID(), date, ...answer.headers } });
    } catch (error) {
      // There is nobody to answer once a fault cut the connection, the caller left, or a streamed body broke off.
      const expected = error instanceof ConnectionCut || left.signal.aborted || outgoing.headersSent;
      if (!expected) console.error("The AWS endpoint broke:", error);
      outgoing.destroy();
    }
  }

  /** @throws ConnectionCut if the caller is to get no answer. */
  async #answer(incoming: IncomingMessage, left: AbortSignal): Promise<AwsResponse> {
    const { headers, method = "", url = "/" } = incoming;
    if (method === "OPTIONS") return preflight;
    const [path, search] = splitUrl(url);
    const query = new URLSearchParams(search);
    const call = this.#record();
    const started = performance.now();
    let service: AwsService | undefined;
    try {
      const claim = claimOf(headers, query);
      service = this.#service(claim, headers, call);
      const request = { method, path, query, headers, body: await bodyOf(incoming), region: claim?.region ?? "" };
      const answer = await this.#carryOut(service, request, claim, call, left);
      call.status = answer.status;
      return answer;
    } catch (error) {
      if (error instanceof ConnectionCut) throw error;
      const refusal = error instanceof AwsError ? error : brokenService(call.service, error);
      call.status = refusal.status;
      call.allowed = !isDenial(refusal);
      call.reason = refusal.message;
      return service ? service.failure(refusal) : failureWithoutService(refusal, headers);
    } finally {
      call.durationMs = performance.now() - started;
    }
  }

  #record(): Call {
    const { clock, calls } = this.#options;
    const call: Call = {
      at: clock.now(),
      service: "",
      operation: "",
      decisions: [],
      allowed: true,
      status: 0,
      durationMs: 0,
    };
    calls.add(call);
    return call;
  }

  #service(claim: Claim | undefined, headers: AwsRequest["headers"], call: Call): AwsService {
    const isOpen = String(headers["x-amz-target"] ?? "").startsWith(unsigned.target);
    const name = claim?.service ?? (isOpen ? unsigned.service : undefined);
    if (name === undefined) throw authError("unsigned", "", { headers });
    call.service = name;
    const service = this.#services.get(name);
    if (service) return service;
    const known = [...this.#services.keys()].join(", ");
    throw new AwsError("UnknownService", `The local stack has no service "${name}"; it has ${known}`, 501);
  }

  async #carryOut(
    service: AwsService,
    received: Omit<AwsRequest, "principal">,
    claim: Claim | undefined,
    call: Call,
    left: AbortSignal,
  ): Promise<AwsResponse> {
    const request = { ...received, principal: this.#principal(received, claim, call) };
    const operation = service.operation(request);
    call.operation = operation;
    this.#options.onCall?.(call);
    await this.#authorize(service, operation, request, call);
    const fault = this.#options.faults.take(service.signingName, operation, request.body);
    if (fault) call.fault = `${fault.kind} ${fault.when}`;
    if (fault?.when === "before") await fault.strike(left);
    const answer = await service.handle(operation, request);
    if (fault?.when === "after") await fault.strike(left).catch((error) => abandon(answer, error));
    return answer;
  }

  #principal(request: Omit<AwsRequest, "principal">, claim: Claim | undefined, call: Call) {
    if (!claim) return undefined;
    const { credentials, clock } = this.#options;
    const { principal } = authenticate(request, claim, { credentials, now: clock.now() });
    if (principal.functionName !== undefined) call.function = principal.functionName;
    call.role = roleName(principal.roleArn);
    call.sessionName = principal.sessionName;
    if (claim.expiresSeconds !== undefined) call.isPresigned = true;
    return principal;
  }

  /** Decides and records every right of the call, then refuses the call for the first one that is missing. */
  async #authorize(service: AwsService, operation: string, request: AwsRequest, call: Call): Promise<void> {
    const { iam, calls } = this.#options;
    const { principal, region } = request;
    let denial: string | undefined;
    for (const authorization of service.authorizations(operation, request)) {
      if (!principal) throw authError("unsigned", service.signingName, request);
      const { action, resource } = authorization;
      const context = { "aws:RequestedRegion": region, ...authorization.context };
      const leadingKeys = authorization.context?.["dynamodb:LeadingKeys"];
      const decision = await iam.decide(principal, { action, resource, context });
      call.decisions.push({ action, resource, ...(leadingKeys && { leadingKeys }), allowed: decision.allowed });
      // A test that tries a role's rights with keys of its own does not show that the role's function needs them.
      if (principal.functionName !== undefined) calls.count(roleName(principal.roleArn), action, decision);
      if (!decision.allowed) denial ??= decision.reason;
    }
    if (denial !== undefined) throw authError("denied", service.signingName, request, denial);
  }
}

/** The pipeline brings backpressure, and destroys the body when the caller leaves. */
async function send(outgoing: ServerResponse, { status, headers, body }: AwsResponse): Promise<void> {
  if (body instanceof Readable) {
    outgoing.writeHead(status, headers);
    return pipeline(body, outgoing);
  }
  outgoing.writeHead(status, { "content-length": Buffer.byteLength(body), ...headers });
  outgoing.end(body);
}

/** @throws AwsError for a body that no service here takes, or ConnectionCut if the caller leaves before its end. */
async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const body = await readBody(incoming, maxBodyBytes).catch(() => {
    throw new ConnectionCut();
  });
  if (body) return body;
  throw new AwsError("RequestEntityTooLarge", `The body exceeds ${maxBodyBytes} bytes`, 413);
}

function abandon({ body }: AwsResponse, reason: unknown): never {
  if (body instanceof Readable) body.destroy();
  throw reason;
}

function brokenService(service: string, error: unknown): AwsError {
  const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new AwsError("InternalFailure", `The local stack's ${service} broke: ${cause}`, 500);
}

function roleName(roleArn: string): string {
  return roleArn.slice(roleArn.lastIndexOf("/") + 1);
}
