// The models of the host, and the reading of model ids on the wire.
import { accountId } from "../aws/account.ts";
import { AwsError } from "../aws/service.ts";

export type HostModel = {
  /** The foundation model's id, e.g. `anthropic.claude-sonnet-5`. */
  id: string;
  /** Prefixes of its inference profiles: `eu`, `us`, `global` ... */
  profiles: string[];
  /** Regions where the bare id can be invoked. Elsewhere only a profile can. */
  onDemand: string[];
  /** Whether CountTokens serves it. */
  countsTokens: boolean;
  /** The features that the model refuses (a field of the body, `thinking.<type>`, `role.system` ...), with the message of the refusal. */
  refuses: Record<string, string>;
  /** Beta flags with which the model takes a refused feature. */
  refusesUnless: Record<string, string[]>;
  /** Beta flags that other models know and this model does not. */
  refusedBetas: string[];
  /** The context window. */
  maxInputTokens: number;
  /** The most that `max_tokens` may be. */
  maxOutputTokens: number;
};

/** The parts of a model id on the wire. The model need not exist. */
export type ModelReference = {
  /** The id as sent, decoded. */
  sent: string;
  /** The foundation model's id, without account, region and prefix. */
  base: string;
  /** The inference profile, if it names one. */
  profile?: { id: string; arn: string; geography: string };
};

const inRegion = ["us-east-1", "eu-north-1", "eu-west-1"];

const unknownField = (field: string) => `${field}: Extra inputs are not permitted`;
const deprecated = (field: string) => `\`${field}\` is deprecated for this model.`;

/** From Opus 4.7 on: no sampling parameters, no thinking budget (anthropics/claude-code-action#1265). */
const adaptiveOnly = {
  temperature: deprecated("temperature"),
  top_p: deprecated("top_p"),
  top_k: deprecated("top_k"),
  "thinking.enabled":
    '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.',
};

/** System turns inside `messages` are taken from Opus 4.8 and the 5th generation on (BerriAI/litellm#32831, #32882). */
const opus47 = { ...adaptiveOnly, "role.system": "role 'system' is not supported on this model" };

/** Models with a version in their ARN, 4.6 and older: no automatic caching (Anthropic's page on Bedrock, 4.6 and earlier). */
const before47 = {
  cache_control: unknownField("cache_control"),
  "role.system":
    'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
};

/**
 * Before 4.6: no adaptive thinking, no effort (BerriAI/litellm#22797). `output_config.format` is taken from 4.5 on (AWS's page
 * on structured output names it for InvokeModel; langchain-ai/langchain-aws#883 lists the models). Reports of 2026 say that
 * Bedrock refuses it for Opus 4.7 and 4.8 and the first of the 5th generation (vercel/ai#14773, its list of 2026-08).
 */
const before46 = {
  ...before47,
  "output_config.effort": unknownField("output_config"),
  "thinking.adaptive": "adaptive thinking is not supported on this model",
};

const small = { maxInputTokens: 200_000, maxOutputTokens: 64_000 };

function model(id: string, facts: Partial<Omit<HostModel, "id">>): HostModel {
  return {
    id: `anthropic.${id}`,
    profiles: ["eu", "us", "global"],
    onDemand: [],
    countsTokens: false,
    refuses: {},
    refusesUnless: {},
    refusedBetas: [],
    maxInputTokens: 1_000_000,
    maxOutputTokens: 128_000,
    ...facts,
  };
}

/** Ids, profiles and in-region use as vendor pages and public catalogues of 2026 give them. */
export const knownModels: readonly HostModel[] = [
  model("claude-fable-5-1", { profiles: ["us", "global"], refuses: adaptiveOnly }),
  model("claude-fable-5", { onDemand: inRegion, refuses: adaptiveOnly }),
  model("claude-opus-5-5", { refuses: adaptiveOnly }),
  model("claude-sonnet-5-5", { refuses: adaptiveOnly }),
  model("claude-haiku-5-5", { refuses: adaptiveOnly }),
  model("claude-opus-5", { onDemand: inRegion, refuses: adaptiveOnly }),
  model("claude-sonnet-5", { onDemand: inRegion, refuses: adaptiveOnly }),
  model("claude-opus-4-8", { onDemand: inRegion, refuses: adaptiveOnly }),
  model("claude-opus-4-7", {
    onDemand: inRegion,
    refuses: opus47,
    // Early reports name interleaved thinking too (anthropics/claude-code#49490); Claude Code has gone on to send it to this model.
    refusedBetas: ["context-1m-2025-08-07"],
  }),
  model("claude-opus-4-6-v1", { countsTokens: true, refuses: before47 }),
  // 64,000 on Bedrock, and 128,000 at Anthropic (LiteLLM, model_prices_and_context_window.json, 2026-11).
  model("claude-sonnet-4-6", { countsTokens: true, refuses: before47, maxOutputTokens: 64_000 }),
  model("claude-opus-4-5-20251101-v1:0", {
    countsTokens: true,
    refuses: before46,
    // Where effort began (platform.claude.com, "What's new in Claude 4.5").
    refusesUnless: { "output_config.effort": ["effort-2025-11-24"] },
    ...small,
  }),
  model("claude-sonnet-4-5-20250929-v1:0", { countsTokens: true, refuses: before46, ...small }),
  model("claude-haiku-4-5-20251001-v1:0", {
    onDemand: inRegion,
    countsTokens: true,
    refuses: before46,
    ...small,
  }),
];

/** The regions from which a profile can be called, by its prefix. */
const callableFrom: Record<string, RegExp> = {
  global: /./,
  us: /^(us|ca)-/,
  eu: /^eu-/,
  apac: /^ap-/,
  jp: /^ap-northeast-/,
  au: /^ap-southeast-/,
  in: /^ap-south-/,
};

/** Reads a model id: bare, with a geography's prefix, or an ARN of either. */
export function modelReference(sent: string, region: string, account = accountId): ModelReference {
  const id = sent.startsWith("arn:") ? sent.slice(sent.indexOf("/") + 1) : sent;
  const geography = id.slice(0, id.indexOf("."));
  if (!Object.hasOwn(callableFrom, geography)) return { sent, base: id };
  const arn = sent.startsWith("arn:") ? sent : `arn:aws:bedrock:${region}:${account}:inference-profile/${id}`;
  return { sent, base: id.slice(geography.length + 1), profile: { id, arn, geography } };
}

/**
 * The model that a reference names, as far as it exists for this region.
 * @throws AwsError ValidationException with Bedrock's message.
 */
export function findModel(models: readonly HostModel[], reference: ModelReference, region: string): HostModel {
  const { sent, base, profile } = reference;
  const model = models.find(({ id }) => id === base);
  const elsewhere = sent.startsWith("arn:") && sent.split(":")[3] !== region;
  const offered =
    !profile || (model?.profiles.includes(profile.geography) && callableFrom[profile.geography]?.test(region));
  if (!model || elsewhere || !offered) {
    throw new AwsError("ValidationException", "The provided model identifier is invalid.");
  }
  return model;
}

/**
 * Most reports say that CountTokens takes bare ids only. Here it takes profiles too.
 * @throws AwsError ValidationException with Bedrock's message.
 */
export function requireCounting({ countsTokens }: HostModel): void {
  if (countsTokens) return;
  throw new AwsError("ValidationException", "The provided model doesn't support counting tokens.");
}

/**
 * Refuses a model's own id where only profiles serve it, in all or some regions.
 * @throws AwsError ValidationException with Bedrock's message
 */
export function requireThroughput(model: HostModel, reference: ModelReference, region: string): void {
  if (reference.profile || model.onDemand.includes(region)) return;
  throw new AwsError(
    "ValidationException",
    `Invocation of model ID ${model.id} with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model.`,
  );
}

/** The name that the Messages API knows: `anthropic.claude-opus-4-6-v1` is `claude-opus-4-6`. */
export function publicName(base: string): string {
  return base.replace(/^[a-z]+\./, "").replace(/-v\d+(:\d+)?$/, "");
}
