// Bedrock AgentCore: gateways, targets, API key credential providers and agent runtimes, over the store, and sessions of Code Interpreters.
import type { Calls } from "../aws/calls.ts";
import type { Credentials } from "../aws/credentials.ts";
import { RestJsonService } from "../aws/rest-json-service.ts";
import type { Authorization, AwsRequest, AwsResponse } from "../aws/service.ts";
import type { Clock } from "../clock.ts";
import type { Iam } from "../iam/iam.ts";
import type { Sandbox } from "../sandbox/level.ts";
import type { Secrets } from "../secrets-manager/secrets.ts";
import type { Store } from "../store.ts";
import { apiKeyOperations } from "./api-key-operations.ts";
import { ApiKeyProviders } from "./api-key-providers.ts";
import { GatewayHost } from "./gateway/gateway-host.ts";
import { gatewayOperations } from "./gateway/gateway-operations.ts";
import { GatewayRole } from "./gateway/gateway-role.ts";
import { describeGateway, Gateways } from "./gateway/gateways.ts";
import { JwtAuthorizer } from "./gateway/jwt-authorizer.ts";
import type { Fetch } from "./gateway/openapi-call.ts";
import { outboundCredential } from "./gateway/outbound-credential.ts";
import { rateLimitOperations } from "./gateway/rate-limit-operations.ts";
import { RateLimiter } from "./gateway/rate-limiter.ts";
import { signedFetch } from "./gateway/signed-fetch.ts";
import { TargetCalls } from "./gateway/target-calls.ts";
import { signingScopeOf } from "./gateway/target-input.ts";
import { targetOperations } from "./gateway/target-operations.ts";
import { describeTarget, Targets } from "./gateway/targets.ts";
import type { Interpreter } from "./interpreter/interpreters.ts";
import { describeSession, invoked, sessionOperations } from "./interpreter/session-operations.ts";
import { Sessions } from "./interpreter/sessions.ts";
import type { AgentCoreCall } from "./operation.ts";
import { RuntimeHost } from "./runtime/runtime-host.ts";
import { invocationOf, runtimeOperations } from "./runtime/runtime-operations.ts";
import type { RuntimeCode } from "./runtime/runtime-process.ts";
import { describeRuntime, Runtimes } from "./runtime/runtimes.ts";
import { changed, type Settings } from "./settings.ts";
import { Throttle } from "./throttle.ts";

type AgentCoreOptions = {
  store: Store;
  clock: Clock;
  iam: Pick<Iam, "decide" | "decideTrust">;
  calls: Calls;
  secrets: Secrets;
  /** Reaches what gateways call, and the issuers of tokens. */
  fetch: Fetch;
  /** Invokes a function as an interceptor. */
  invoke: (functionArn: string, event: unknown) => Promise<unknown>;
  credentials: Credentials;
  /** The code of a runtime in a bucket. */
  codeAt: (bucket: string, key: string) => RuntimeCode;
  /** The Code Interpreters that the program declares. */
  interpreters: readonly Interpreter[];
  /** The sandbox in which the sessions of Code Interpreters run. */
  sandbox: Sandbox;
  awsUrl: () => string;
  /** The edge, through which runtimes reach the hosts beyond the stack. */
  edgePort: () => number;
  /** Takes the lines of a runtime. */
  log: (name: string, line: string) => void;
  /** Reads an object of a bucket, as the role of a gateway. */
  readObject: (uri: string) => { rights: Authorization[]; read: () => Promise<string> | string };
};

export class AgentCore extends RestJsonService<AgentCoreCall> {
  readonly gateways: Gateways;
  readonly targets: Targets;
  readonly providers: ApiKeyProviders;
  readonly runtimes: Runtimes;
  readonly sessions: Sessions;
  /** The gateways' own hosts. */
  readonly gatewayHost: GatewayHost;
  readonly #runtimeHost: RuntimeHost;
  readonly #clock: Clock;
  readonly #throttle = new Throttle();
  #settings = changed(undefined);

  constructor(options: AgentCoreOptions) {
    const { store, clock, iam, secrets, fetch, invoke, readObject } = options;
    super({
      signingName: "bedrock-agentcore",
      title: "AgentCore",
      operations: {
        ...gatewayOperations,
        ...targetOperations,
        ...apiKeyOperations(secrets),
        ...runtimeOperations,
        ...rateLimitOperations,
        ...sessionOperations,
      },
      contextOf: (operation, { region, principal }) => ({
        operation,
        region,
        principal,
        iam,
        now: clock.now(),
        settings: this.#settings,
        gateways: this.gateways,
        targets: this.targets,
        providers: this.providers,
        runtimes: this.runtimes,
        sessions: this.sessions,
      }),
    });
    this.#clock = clock;
    const parts = { store, iam, now: () => clock.now(), settings: () => this.#settings };
    this.gateways = new Gateways(parts);
    this.providers = new ApiKeyProviders(parts);
    const role = new GatewayRole({ iam, calls: options.calls, now: parts.now });
    const keysFor = (roleArn: string, sessionName: string) =>
      options.credentials.issue({ roleArn, sessionName, sessionTags: {} });
    const targetCalls = new TargetCalls({
      fetchFor: ({ id, region, definition: { roleArn } }, definition) => {
        const scope = signingScopeOf(definition, region);
        return scope ? signedFetch(fetch, keysFor(roleArn, id), scope) : fetch;
      },
      credentialFor: (gateway, definition) =>
        outboundCredential(gateway, definition, { providers: this.providers, secrets, role }),
      readObject: async (gateway, uri) => {
        const { rights, read } = readObject(uri);
        await role.check(gateway, "GetObject", rights);
        return read();
      },
    });
    this.targets = new Targets(parts, this.gateways, (gateway, definition) => targetCalls.read(gateway, definition));
    this.runtimes = new Runtimes(parts);
    const { interpreters, sandbox } = options;
    this.sessions = new Sessions({ interpreters, sandbox, clock, settings: parts.settings });
    const { codeAt, awsUrl, edgePort, log } = options;
    this.#runtimeHost = new RuntimeHost({ runtimes: this.runtimes, codeAt, keysFor, awsUrl, edgePort, log });
    this.gatewayHost = new GatewayHost({
      gateways: this.gateways,
      targets: this.targets,
      authorizer: new JwtAuthorizer({ fetch, now: parts.now }),
      targetCalls,
      role,
      rateLimiter: new RateLimiter(parts.now),
      invoke,
    });
  }

  /** @throws Error that names every wrong field. */
  configure(change: unknown): Settings {
    this.#settings = changed(this.#settings, change);
    return this.#settings;
  }

  get settings(): Settings {
    return this.#settings;
  }

  /** Ends the processes of runtimes and sessions. */
  async close(): Promise<void> {
    await Promise.all([this.#runtimeHost.close(), this.sessions.close()]);
  }

  /** Everything that exists, for tests and readers. */
  list() {
    return {
      settings: this.#settings,
      gateways: this.gateways.all().map((gateway) => ({
        ...describeGateway(gateway),
        tags: gateway.tags,
        rateLimits: gateway.rateLimits,
        targets: this.targets.of(gateway.id).map((target) => ({
          ...describeTarget(gateway, target),
          tools: target.live?.tools.map(({ tool }) => tool.name) ?? [],
        })),
      })),
      apiKeyCredentialProviders: this.providers.all(),
      codeInterpreterSessions: this.sessions.all().map(describeSession),
      agentRuntimes: this.runtimes.all().map((runtime) => ({ ...describeRuntime(runtime), tags: runtime.tags })),
    };
  }

  override async handle(operation: string, request: AwsRequest): Promise<AwsResponse> {
    this.#throttle.take(operation, this.#clock.now(), this.#settings);
    if (operation === "InvokeAgentRuntime") return this.#runtimeHost.invoke(...invocationOf(request), request);
    if (operation === "InvokeCodeInterpreter") return invoked(this.sessions, request);
    return super.handle(operation, request);
  }
}
