// Bedrock AgentCore's control plane: gateways, targets, API key credential providers and agent runtimes, over the store.
import { RestJsonService } from "../aws/rest-json-service.ts";
import type { AwsRequest, AwsResponse } from "../aws/service.ts";
import type { Clock } from "../clock.ts";
import type { Iam } from "../iam/iam.ts";
import type { Secrets } from "../secrets-manager/secrets.ts";
import type { Store } from "../store.ts";
import { apiKeyOperations } from "./api-key-operations.ts";
import { ApiKeyProviders } from "./api-key-providers.ts";
import { gatewayOperations } from "./gateway-operations.ts";
import { describeGateway, Gateways } from "./gateways.ts";
import type { AgentCoreCall } from "./operation.ts";
import { rateLimitOperations } from "./rate-limit-operations.ts";
import { runtimeOperations } from "./runtime-operations.ts";
import { describeRuntime, Runtimes } from "./runtimes.ts";
import { changed, type Settings } from "./settings.ts";
import { tagOperations } from "./tag-operations.ts";
import { targetOperations } from "./target-operations.ts";
import { describeTarget, type ReadTools, Targets } from "./targets.ts";
import { Throttle } from "./throttle.ts";

type AgentCoreOptions = {
  store: Store;
  clock: Clock;
  iam: Pick<Iam, "decideTrust">;
  secrets: Pick<Secrets, "create" | "put" | "remove" | "arnOf">;
  readTools: ReadTools;
};

export class AgentCore extends RestJsonService<AgentCoreCall> {
  readonly gateways: Gateways;
  readonly targets: Targets;
  readonly providers: ApiKeyProviders;
  readonly runtimes: Runtimes;
  readonly #clock: Clock;
  readonly #throttle = new Throttle();
  #settings = changed(undefined);

  constructor({ store, clock, iam, secrets, readTools }: AgentCoreOptions) {
    super({
      signingName: "bedrock-agentcore",
      title: "AgentCore",
      operations: {
        ...gatewayOperations,
        ...targetOperations,
        ...apiKeyOperations(secrets),
        ...runtimeOperations,
        ...rateLimitOperations,
        ...tagOperations,
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
      }),
    });
    this.#clock = clock;
    const parts = { store, iam, now: () => clock.now(), settings: () => this.#settings };
    this.gateways = new Gateways(parts);
    this.targets = new Targets(parts, this.gateways, readTools);
    this.providers = new ApiKeyProviders(parts);
    this.runtimes = new Runtimes(parts);
  }

  /** @throws Error that names every wrong field. */
  configure(change: unknown): Settings {
    this.#settings = changed(this.#settings, change);
    return this.#settings;
  }

  get settings(): Settings {
    return this.#settings;
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
          tools: target.live?.tools.map(({ name }) => name) ?? [],
        })),
      })),
      apiKeyCredentialProviders: this.providers.all(),
      agentRuntimes: this.runtimes.all().map((runtime) => ({ ...describeRuntime(runtime), tags: runtime.tags })),
    };
  }

  override async handle(operation: string, request: AwsRequest): Promise<AwsResponse> {
    this.#throttle.take(operation, this.#clock.now(), this.#settings);
    return super.handle(operation, request);
  }
}
