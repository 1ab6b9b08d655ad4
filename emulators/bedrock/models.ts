// The models of the host, and the reading of model ids on the wire. What they refuse is in `rules/`.
import { accountId } from "../aws/account.ts";
import { AwsError } from "../aws/service.ts";

export type HostModel = {
  /** The foundation model's id, e.g. `anthropic.claude-sonnet-5`. */
  id: string;
  /** The time of its end (ISO 8601), if one is named. */
  endsAt?: string;
  /** Prefixes of its inference profiles: `eu`, `us`, `global` ... */
  profiles: string[];
  /** Regions of its geographies from which no source names it. */
  absentFrom: string[];
  /** Regions where the bare id can be invoked. Elsewhere only a profile can. */
  onDemand: string[];
  /** Whether CountTokens serves it. */
  countsTokens: boolean;
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

const zurich = ["eu-central-2"];
const inRegion = ["us-east-1", "eu-north-1", "eu-west-1"];

const small = { maxInputTokens: 200_000, maxOutputTokens: 64_000 };

function model(id: string, facts: Partial<Omit<HostModel, "id">> = {}): HostModel {
  return {
    id: `anthropic.${id}`,
    profiles: ["eu", "us", "global"],
    absentFrom: [],
    onDemand: [],
    countsTokens: false,
    maxInputTokens: 1_000_000,
    maxOutputTokens: 128_000,
    ...facts,
  };
}

/** Ids, profiles and in-region use as vendor pages and public catalogues of 2026 give them. */
export const knownModels: readonly HostModel[] = [
  model("claude-fable-5-2", { absentFrom: zurich }),
  model("claude-fable-5-1", { profiles: ["us", "global"] }),
  model("claude-fable-5", { onDemand: inRegion }),
  model("claude-opus-5-5"),
  model("claude-sonnet-5-5"),
  model("claude-haiku-5-5"),
  model("claude-opus-5", { onDemand: inRegion }),
  model("claude-sonnet-5", { onDemand: inRegion }),
  model("claude-opus-4-8", { onDemand: inRegion }),
  model("claude-opus-4-7", { onDemand: inRegion }),
  model("claude-opus-4-6-v1", { absentFrom: zurich, countsTokens: true }),
  // 64,000 on Bedrock, and 128,000 at Anthropic (LiteLLM, model_prices_and_context_window.json, 2026-11).
  model("claude-sonnet-4-6", { absentFrom: zurich, countsTokens: true, maxOutputTokens: 64_000 }),
  model("claude-opus-4-5-20251101-v1:0", { absentFrom: zurich, countsTokens: true, ...small }),
  model("claude-sonnet-4-5-20250929-v1:0", { absentFrom: zurich, countsTokens: true, ...small }),
  model("claude-haiku-4-5-20251001-v1:0", { onDemand: inRegion, countsTokens: true, ...small }),
];

/** The models of a running host, of which a test or a reader can add some. */
export class HostModels {
  readonly #initial: readonly HostModel[];
  all: readonly HostModel[];

  constructor(models: readonly HostModel[]) {
    this.#initial = models;
    this.all = models;
  }

  /** Adds a model, or replaces the one of its id. */
  offer(model: HostModel): void {
    this.all = [model, ...this.all.filter(({ id }) => id !== model.id)];
  }

  clear(): void {
    this.all = this.#initial;
  }
}

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

/** The ids of the model's profiles that can be called from the region. */
export function profilesIn({ id, profiles, absentFrom }: HostModel, region: string): string[] {
  if (absentFrom.includes(region)) return [];
  return profiles.filter((geography) => callableFrom[geography]?.test(region)).map((geography) => `${geography}.${id}`);
}

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
  const offered = !profile || (model && profilesIn(model, region).includes(profile.id));
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
