// The Messages API on bedrock-mantle, of which the platform uses count_tokens alone: a service of its own, with its own action,
// regions and errors, in front of the same models.
//
// docs.aws.amazon.com/bedrock/latest/userguide: count-tokens.html, bedrock-mantle.html ("Supported Regions");
// docs.aws.amazon.com/service-authorization/latest/reference/list_bedrock-mantle.html;
// platform.claude.com/docs/en/build-with-claude/claude-in-amazon-bedrock ("Regions", 2026-08); the words of its errors:
// public gateways' logs of 2026.
import { accountId } from "../aws/account.ts";
import { type Authorization, AwsError, type AwsRequest, type AwsResponse, type AwsService } from "../aws/service.ts";
import type { Bedrock } from "./bedrock.ts";
import { parseExactly } from "./json-body.ts";
import { messagesFailure } from "./messages-failure.ts";
import { knownModels } from "./models.ts";

const path = "/anthropic/v1/messages/count_tokens";

/** Regions with the endpoint, and those of them that serve Claude. */
const regions = new Set([
  ...["us-east-1", "us-east-2", "us-west-2", "ap-southeast-3", "ap-south-1", "ap-southeast-2", "ap-northeast-1"],
  ...["eu-central-1", "eu-west-1", "eu-west-2", "eu-south-1", "eu-north-1", "sa-east-1"],
]);
const claudeRegions = new Set(["us-east-1", "eu-west-1", "eu-north-1"]);

/** The models of the endpoint by its ids: the models since 4.7, which CountTokens refuses, and Haiku 4.5 with a shorter id. */
const models = new Map([
  ...knownModels.filter(({ countsTokens }) => !countsTokens).map(({ id }) => [id, id] as const),
  ["anthropic.claude-haiku-4-5", "anthropic.claude-haiku-4-5-20251001-v1:0"] as const,
]);

/** The fields that a count takes. */
const countedFields = new Set(
  "model messages system tools tool_choice thinking cache_control output_config context_management".split(" "),
);

type Json = Record<string, unknown>;

export class MessagesEndpoint implements AwsService {
  readonly signingName = "bedrock-mantle";
  readonly #host: Bedrock;

  constructor(host: Bedrock) {
    this.#host = host;
  }

  operation({ method, path: called, region }: AwsRequest): string {
    if (!regions.has(region)) throw notFound(`AWS has no endpoint bedrock-mantle.${region}.api.aws`);
    if (method !== "POST" || called !== path) throw notFound(`The local stack has no ${method} ${called} here`);
    return "CountTokens";
  }

  /** A call that names no project is the default project's. */
  authorizations(operation: string, request: AwsRequest): Authorization[] {
    const account = request.principal?.roleArn.split(":")[4] ?? accountId;
    const { model } = bodyOf(request);
    return [
      {
        action: `bedrock-mantle:${operation}`,
        resource: `arn:aws:bedrock-mantle:${request.region}:${account}:project/default`,
        ...(typeof model === "string" && { context: { "bedrock-mantle:Model": model } }),
      },
    ];
  }

  async handle(_operation: string, request: AwsRequest): Promise<AwsResponse> {
    const body = bodyOf(request);
    const id = String(body.model);
    const modelId = claudeRegions.has(request.region) ? models.get(id) : undefined;
    if (modelId === undefined) throw notFound(`The model '${id}' does not exist`);
    return this.#host.countMessages(request, modelId, () => invokedForm(body, request));
  }

  failure(error: AwsError): AwsResponse {
    return messagesFailure(error);
  }
}

function bodyOf({ body }: AwsRequest): Json {
  const parsed = parseExactly(body.toString());
  return typeof parsed === "object" && parsed !== null ? (parsed as Json) : {};
}

/** A count has no `max_tokens`, and the checks of a message need one that exceeds any budget of thinking. */
const maxTokens = 1_000_000;

/** @throws AwsError ValidationException for what a count does not take. */
function invokedForm({ model: _model, ...counted }: Json, { headers }: AwsRequest): string {
  if (headers["anthropic-version"] === undefined) throw invalid("anthropic-version: header is required");
  const extra = Object.keys(counted).find((field) => !countedFields.has(field));
  if (extra !== undefined) throw invalid(`${extra}: Extra inputs are not permitted`);
  const betas = String(headers["anthropic-beta"] ?? "")
    .split(",")
    .map((flag) => flag.trim())
    .filter((flag) => flag !== "");
  return JSON.stringify({
    anthropic_version: "bedrock-2023-05-31",
    ...(betas.length > 0 && { anthropic_beta: betas }),
    max_tokens: maxTokens,
    ...counted,
  });
}

const notFound = (message: string) => new AwsError("ResourceNotFoundException", message, 404);
const invalid = (message: string) => new AwsError("ValidationException", message);
