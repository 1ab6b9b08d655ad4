// The catalog: the models that the platform offers, as data that a stack can replace, and the questions asked of it.
import * as z from "zod";
import { nanoUsdPerUsd, usd } from "../kernel/money.ts";
import { capabilitiesSchema } from "./capability.ts";
import { countingProblems } from "./counting.ts";
import { type Region, regions } from "./region.ts";
import { maxTokenCount } from "./token-usage.ts";

/**
 * USD per million tokens, as price pages say it, read as nano-USD per million tokens. Finer than nano-USD per token, because
 * 0.1375 USD per million tokens is 137.5 nano-USD per token. The limit catches a price entered per token or per thousand.
 */
const rate = usd.refine((amount) => amount <= 1_000 * nanoUsdPerUsd, "must not be above 1000 USD per million tokens");

const priceTier = z.strictObject({
  /** The tier holds for prompts with more tokens than this, all kinds counted, up to the next tier. */
  prompt_tokens_above: z.int().min(0).max(maxTokenCount),
  input: rate,
  output: rate,
  cache_read: rate,
  cache_write_5m: rate,
  cache_write_1h: rate,
});

const price = z.strictObject({
  /** The inference profiles that have these prices. */
  profiles: z.array(z.string().min(1)).min(1),
  /** The price holds from this date or time (UTC) on, until that of a later row of the same profile. */
  from: z.union([z.iso.date(), z.iso.datetime()]),
  tiers: z.array(priceTier).min(1),
});

export const modelName = z.string().regex(/^[a-z0-9][a-z0-9.:-]*$/, "must be a model id");

/** The profiles of a region, by where they may run the model: in the region, in its geography, or anywhere. */
export const profilesSchema = z
  .strictObject({
    region: modelName.exactOptional(),
    geography: modelName.exactOptional(),
    anywhere: modelName.exactOptional(),
  })
  .refine((some) => Object.keys(some).length > 0, "a region needs a profile");

const model = z.strictObject({
  /** The id that callers use and that `GET /models` gives. */
  id: modelName,
  aliases: z.array(modelName),
  display_name: z.string().min(1),
  created_at: z.iso.datetime(),
  /** The context window. */
  max_input_tokens: z.int().min(1).max(maxTokenCount),
  max_output_tokens: z.int().min(1).max(maxTokenCount),
  /** The vendor's own limit, where its API lets the model write more than the model host does. */
  vendor_max_output_tokens: z.int().min(1).max(maxTokenCount).optional(),
  /** The model host's id of the model itself. */
  base_id: modelName,
  /** The model host's profiles that serve each region. How the host spells their ids is its adapter's to know. */
  profiles: z.partialRecord(z.enum(regions), profilesSchema),
  prices: z.array(price).min(1),
  /** The last day (UTC) on which the model host serves the model. A later call is refused. */
  last_day: z.iso.date().optional(),
  /** The last day (UTC) at the vendor's own API. People are told of it, and no call is refused for it. */
  vendor_last_day: z.iso.date().optional(),
  /** A name of the model to use after the last day; the newest of the family unless given. */
  successor: modelName.optional(),
  capabilities: capabilitiesSchema,
});

export type Model = z.output<typeof model> & {
  /** The stack's own names for the model. They may name another model, so whoever calls by one is told which model answers. */
  stack_aliases?: readonly string[];
};
/** The profiles of a model in a region. */
export type Profiles = z.output<typeof profilesSchema>;
export type Price = z.output<typeof price>;
export type PriceTier = z.output<typeof priceTier>;

export type Catalog = {
  readonly models: readonly Model[];
  /** Every name of every model: ids, aliases, and the model host's own ids. */
  readonly names: ReadonlyMap<string, Model>;
};

/** Checks a catalog's JSON document and reads it as a `Catalog`. */
const catalogSchema = z
  .strictObject({ models: z.array(model).min(1) })
  .superRefine(({ models }, context) => {
    const taken = new Map<string, string>();
    const known = new Set(models.flatMap(namesOf));
    models.forEach((model, index) => {
      const problems = [
        ...nameProblems(model, taken),
        ...successorProblems(model, known),
        ...(profileIds(model).length === 0 ? ["is in no region"] : []),
        ...priceProblems(model),
        ...countingProblems(model.capabilities.count_tokens, servedRegions(model)),
      ];
      for (const problem of problems) {
        context.addIssue({ code: "custom", path: ["models", index], message: `${model.id}: ${problem}` });
      }
    });
  })
  .transform(({ models }): Catalog => namedCatalog(models));

export type CatalogInput = z.input<typeof catalogSchema>;

/** A stack's own names for models of the catalog: the alias, and any name of the model that it stands for. */
export type Aliases = Readonly<Record<string, string>>;

/** The problems of a stack's aliases, by alias. */
export function aliasProblems(catalog: Catalog, aliases: Aliases): [alias: string, problem: string][] {
  return Object.entries(aliases).flatMap(([alias, target]): [string, string][] => {
    const owner = findModel(catalog, alias);
    if (owner) return [[alias, `is already a name of ${owner.id}`]];
    return findModel(catalog, target) ? [] : [[alias, `there is no model ${JSON.stringify(target)}`]];
  });
}

/**
 * The catalog in which the aliases are names of their models, wherever a name counts: calls, grants, look-ups by id.
 * @throws Error that names every alias that stands for no model, or is a model's name already.
 */
export function withAliases(catalog: Catalog, aliases: Aliases): Catalog {
  const problems = aliasProblems(catalog, aliases);
  if (problems.length > 0) throw new Error(`bad aliases\n${problems.map((each) => `  ${each.join(": ")}`).join("\n")}`);
  const added = (model: Model) =>
    Object.entries(aliases).flatMap(([alias, target]) => (findModel(catalog, target) === model ? [alias] : []));
  return namedCatalog(catalog.models.map((model) => ({ ...model, stack_aliases: added(model) })));
}

/** The catalog of these models, whose names must be their own. */
export function namedCatalog(models: readonly Model[]): Catalog {
  return { models, names: new Map(models.flatMap((model) => namesOf(model).map((name) => [name, model] as const))) };
}

/** @throws Error that lists every problem of the document. */
export function parseCatalog(json: unknown): Catalog {
  const parsed = catalogSchema.safeParse(json);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `  ${issue.path.join(".")}: ${issue.message}`);
  throw new Error(`bad catalog\n${problems.join("\n")}`);
}

/** An entry of a grant's `allowed_models` that stands for the whole catalog. */
export const everyModel = "*";

/** The models and regions that a grant allows. */
export type ModelAccess = {
  /** Names of models, or `everyModel`. */
  allowed_models: readonly string[];
  allowed_regions: readonly Region[];
  /** Whether a profile may answer that may run the model anywhere. */
  allow_global_profiles: boolean;
};

/** The model of this name: its id, an alias, its base id or one of its profiles. */
export function findModel(catalog: Catalog, name: string): Model | undefined {
  return catalog.names.get(name);
}

/** Whether this is one of the model's names. */
export function isNamed(model: Model, name: string): boolean {
  return namesOf(model).includes(name);
}

/** Whether the name is only the stack's own for this model. */
export function isStackAlias({ stack_aliases = [] }: Model, name: string): boolean {
  return stack_aliases.includes(name);
}

/** Whether a grant's list has the model, under any of its names. */
export function isAllowed(model: Model, allowedModels: readonly string[]): boolean {
  return allowedModels.includes(everyModel) || namesOf(model).some((name) => allowedModels.includes(name));
}

/**
 * The profile that serves the model in the region: that of its geography, else the region's own, else the one that runs it anywhere.
 * Undefined if there is none, or only the last one, and it may not be used.
 */
export function profileFor(model: Model, region: Region, options: { allowGlobal: boolean }): string | undefined {
  const { geography, region: own, anywhere } = model.profiles[region] ?? {};
  return geography ?? own ?? (options.allowGlobal ? anywhere : undefined);
}

/** `profileFor` for each region that has one. */
export function profilesByRegion(model: Model, options: { allowGlobal: boolean }): Partial<Record<Region, string>> {
  const found = regions.map((region) => [region, profileFor(model, region, options)] as const);
  return Object.fromEntries(found.filter(([, profile]) => profile !== undefined));
}

/** The public id of the model behind a profile. One that the catalog has no more keeps the profile's name. */
export function modelOfProfile({ models }: Catalog, profile: string): string {
  return models.find((model) => model.base_id === profile || profileIds(model).includes(profile))?.id ?? profile;
}

/** Whether a model of the catalog has a profile in the region. */
export function servedIn({ models }: Catalog, region: Region): boolean {
  return models.some(({ profiles }) => profiles[region] !== undefined);
}

export function availableRegions(model: Model, options: { allowGlobal: boolean }): Region[] {
  return regions.filter((region) => profileFor(model, region, options) !== undefined);
}

function profileIds({ profiles }: Model): string[] {
  return [...new Set(Object.values(profiles).flatMap((some) => Object.values(some)))];
}

/** A base id can be a profile too; ids and aliases are kept as often as they are written. */
function namesOf(model: Model): string[] {
  const { id, aliases, stack_aliases = [], base_id } = model;
  return [id, ...aliases, ...stack_aliases, ...new Set([base_id, ...profileIds(model)])];
}

function nameProblems(model: Model, taken: Map<string, string>): string[] {
  return namesOf(model).flatMap((name) => {
    const owner = taken.get(name);
    taken.set(name, owner ?? model.id);
    return owner === undefined ? [] : [`the name ${name} is already one of ${owner}`];
  });
}

function successorProblems({ successor, ...model }: Model, known: ReadonlySet<string>): string[] {
  if (successor === undefined) return [];
  if (isNamed(model, successor)) return ["succeeds itself"];
  return known.has(successor) ? [] : [`there is no model ${JSON.stringify(successor)} to succeed it`];
}

function servedRegions(model: Model) {
  const profiles = profilesByRegion(model, { allowGlobal: true });
  return availableRegions(model, { allowGlobal: true }).map((region) => ({
    region,
    staysThere: profiles[region] === model.profiles[region]?.region,
  }));
}

function priceProblems(model: Model): string[] {
  const profiles = profileIds(model);
  const priced = model.prices.flatMap((price) => price.profiles.map((profile) => ({ profile, from: price.from })));
  const isRepeated = (row: (typeof priced)[number], index: number) =>
    priced
      .slice(0, index)
      .some((other) => other.profile === row.profile && Date.parse(other.from) === Date.parse(row.from));
  return [
    ...profiles
      .filter((profile) => !priced.some((row) => row.profile === profile))
      .map((profile) => `the profile ${profile} has no price`),
    ...priced
      .filter((row) => !profiles.includes(row.profile))
      .map((row) => `there is a price for ${row.profile}, which serves no region`),
    ...priced.filter(isRepeated).map((row) => `two prices for ${row.profile} from ${row.from}`),
    ...model.prices.flatMap((price) => tierProblems(price)),
  ];
}

function tierProblems({ from, tiers }: Price): string[] {
  const starts = tiers.map((tier) => tier.prompt_tokens_above);
  const ascending = starts.every((start, index) => index === 0 || start > (starts[index - 1] ?? 0));
  return starts[0] === 0 && ascending ? [] : [`the tiers from ${from} must begin at 0 and ascend`];
}
