// Products and prices. A price's amount is fixed once it is made; a lookup key has one active price.
import * as z from "zod";
import type { Account } from "./account.ts";
import { endpoint } from "./endpoint.ts";
import { newId } from "./ids.ts";
import { listOf } from "./lists.ts";
import type { Price, Product } from "./objects.ts";
import { bool, int, mergedMetadata, metadata, page } from "./parameters.ts";
import { invalidParameter, invalidRequest, missing } from "./refusal.ts";

const productFields = {
  name: z.string().min(1).optional(),
  description: z.string().optional(),
  active: bool.optional(),
  metadata: metadata.optional(),
  tax_code: z.string().optional(),
  unit_label: z.string().max(12).optional(),
};

/** At most 12 decimals of a cent (docs.stripe.com/api/prices/create, unit_amount_decimal). */
const decimal = z.string().regex(/^\d{1,12}(\.\d{1,12})?$/, "must be a decimal with at most 12 decimals");

const recurring = z.strictObject({
  interval: z.enum(["day", "week", "month", "year"]),
  interval_count: int.optional(),
  usage_type: z.enum(["metered", "licensed"]).default("licensed"),
  meter: z.string().optional(),
});

const priceFields = {
  currency: z.string().length(3),
  product: z.string(),
  recurring: recurring.optional(),
  unit_amount: int.optional(),
  unit_amount_decimal: decimal.optional(),
  billing_scheme: z.literal("per_unit").optional(),
  lookup_key: z.string().max(200).optional(),
  transfer_lookup_key: bool.optional(),
  tax_behavior: z.enum(["exclusive", "inclusive", "unspecified"]).default("unspecified"),
  nickname: z.string().optional(),
  metadata: metadata.optional(),
};

export const catalog = [
  endpoint(
    ["POST", "/v1/products"],
    "products.create",
    z.strictObject({ ...productFields, name: z.string().min(1), id: z.string().max(128).optional() }),
    ({ id, ...given }, { account }) => {
      if (id && account.products.get(id)) {
        throw invalidRequest("Product already exists.", { code: "resource_already_exists", param: "id" });
      }
      return putProduct(account, { ...newProduct(account, id), ...changed(given) });
    },
  ),
  endpoint(
    ["GET", "/v1/products"],
    "products.list",
    z.strictObject({ ...page, active: bool.optional() }),
    ({ active, ...page }, { account }) => {
      const found = account.products.all().filter((one) => active === undefined || one.active === active);
      return listOf("/v1/products", found, page);
    },
  ),
  endpoint(["GET", "/v1/products/:id"], "products.retrieve", z.strictObject({}), (_, { account, path }) =>
    productOf(account, path.id),
  ),
  endpoint(
    ["POST", "/v1/products/:id"],
    "products.update",
    z.strictObject(productFields),
    (given, { account, path }) => {
      const product = productOf(account, path.id);
      const merged = mergedMetadata(product.metadata, given.metadata);
      return putProduct(account, { ...product, ...changed(given), metadata: merged, updated: account.now() });
    },
  ),
  endpoint(["POST", "/v1/prices"], "prices.create", z.strictObject(priceFields), (given, { account }) => {
    productOf(account, given.product, "product");
    checkMeter(account, given.recurring);
    freeLookupKey(account, given.lookup_key, given.transfer_lookup_key);
    const price = newPrice(account, given);
    account.prices.put(price.id, price);
    return price;
  }),
  endpoint(
    ["GET", "/v1/prices"],
    "prices.list",
    z.strictObject({
      ...page,
      active: bool.optional(),
      lookup_keys: z.array(z.string()).max(10).optional(),
      product: z.string().optional(),
    }),
    ({ active, lookup_keys, product, ...page }, { account }) => {
      const found = account.prices
        .all()
        .filter((one) => active === undefined || one.active === active)
        .filter((one) => product === undefined || one.product === product)
        .filter((one) => !lookup_keys || (one.lookup_key !== null && lookup_keys.includes(one.lookup_key)));
      return listOf("/v1/prices", found, page);
    },
  ),
  endpoint(["GET", "/v1/prices/:id"], "prices.retrieve", z.strictObject({}), (_, { account, path }) =>
    priceOf(account, path.id),
  ),
  endpoint(
    ["POST", "/v1/prices/:id"],
    "prices.update",
    z.strictObject({
      active: bool.optional(),
      lookup_key: z.string().max(200).optional(),
      transfer_lookup_key: bool.optional(),
      metadata: metadata.optional(),
      nickname: z.string().optional(),
    }),
    ({ transfer_lookup_key, metadata, ...given }, { account, path }) => {
      const price = priceOf(account, path.id);
      if (given.lookup_key !== price.lookup_key) freeLookupKey(account, given.lookup_key, transfer_lookup_key);
      const next = { ...price, ...changed(given), metadata: mergedMetadata(price.metadata, metadata) };
      account.prices.put(price.id, next);
      return next;
    },
  ),
];

/** @throws StripeRefusal */
export function priceOf(account: Account, id = "", param?: string): Price {
  const price = account.prices.get(id);
  if (!price) throw missing("price", id, param, param ? 400 : 404);
  return price;
}

function productOf(account: Account, id = "", param?: string): Product {
  const product = account.products.get(id);
  if (!product) throw missing("product", id, param, param ? 400 : 404);
  return product;
}

function putProduct(account: Account, product: Product): Product {
  account.products.put(product.id, product);
  return product;
}

function changed<T extends object>(given: T): Partial<{ [K in keyof T]: Exclude<T[K], undefined> }> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as never;
}

function newProduct(account: Account, id = newId("prod", 14)): Product {
  return {
    id,
    object: "product",
    active: true,
    created: account.now(),
    default_price: null,
    description: null,
    images: [],
    livemode: false,
    marketing_features: [],
    metadata: {},
    name: "",
    package_dimensions: null,
    shippable: null,
    statement_descriptor: null,
    tax_code: null,
    tax_details: null,
    type: "service",
    unit_label: null,
    updated: account.now(),
    url: null,
  } satisfies Product;
}

/** Metered prices need a meter since 2025-03-31 (docs.stripe.com/changelog/basil). */
function checkMeter(account: Account, given: z.output<typeof recurring> | undefined): void {
  if (given?.usage_type !== "metered") return;
  const name = "recurring[meter]";
  if (!given.meter) throw invalidParameter("parameter_missing", `Missing required param: ${name}.`, name);
  if (account.meters.get(given.meter)?.status !== "active") throw missing("meter", given.meter, name, 400);
}

/** Two active prices cannot share a key unless the new one takes it over (docs.stripe.com/api/prices/create). */
function freeLookupKey(account: Account, key: string | undefined, transfer = false): void {
  if (!key) return;
  for (const price of account.prices.all().filter(({ lookup_key }) => lookup_key === key)) {
    if (!transfer) {
      const message = `A price (\`${price.id}\`) already uses that lookup key.`;
      throw invalidRequest(message, { code: "resource_already_exists", param: "lookup_key" });
    }
    account.prices.put(price.id, { ...price, lookup_key: null });
  }
}

function newPrice(account: Account, given: z.output<z.ZodObject<typeof priceFields>>): Price {
  const { unit_amount, unit_amount_decimal, recurring } = given;
  if ((unit_amount === undefined) === (unit_amount_decimal === undefined)) {
    throw invalidRequest("Exactly one of unit_amount and unit_amount_decimal must be given.", { param: "unit_amount" });
  }
  const amount = unit_amount_decimal ?? String(unit_amount);
  return {
    id: newId("price"),
    object: "price",
    active: true,
    billing_scheme: "per_unit",
    created: account.now(),
    currency: given.currency.toLowerCase(),
    custom_unit_amount: null,
    livemode: false,
    lookup_key: given.lookup_key ?? null,
    metadata: given.metadata ?? {},
    nickname: given.nickname ?? null,
    product: given.product,
    recurring: recurring
      ? {
          interval: recurring.interval,
          interval_count: recurring.interval_count ?? 1,
          meter: recurring.meter ?? null,
          trial_period_days: null,
          usage_type: recurring.usage_type,
        }
      : null,
    tax_behavior: given.tax_behavior,
    tiers_mode: null,
    transform_quantity: null,
    type: recurring ? "recurring" : "one_time",
    unit_amount: /^\d+$/.test(amount) ? Number(amount) : null,
    unit_amount_decimal: amount,
  } satisfies Price;
}
