// Products and prices. The amount of a price is fixed when the price is created; a lookup key belongs to one price.
import * as z from "zod";
import type { Account } from "./account.ts";
import { endpoint } from "./endpoint.ts";
import { newId } from "./ids.ts";
import { listOf } from "./lists.ts";
import type { Price, Product } from "./objects.ts";
import { bool, int, page } from "./parameters.ts";
import { invalidParameter, invalidRequest, missing } from "./refusal.ts";

/** At most 12 decimals of a cent (docs.stripe.com/api/prices/create, unit_amount_decimal). */
const decimal = z.string().regex(/^\d{1,12}(\.\d{1,12})?$/, "must be a decimal with at most 12 decimals");

const recurring = z.strictObject({
  interval: z.enum(["day", "week", "month", "year"]),
  usage_type: z.enum(["metered", "licensed"]).default("licensed"),
  meter: z.string().optional(),
});

const priceFields = {
  currency: z.string().length(3),
  product: z.string(),
  recurring: recurring.optional(),
  unit_amount: int.optional(),
  unit_amount_decimal: decimal.optional(),
  lookup_key: z.string().max(200).optional(),
  transfer_lookup_key: bool.optional(),
  tax_behavior: z.enum(["exclusive", "inclusive", "unspecified"]).default("unspecified"),
};

export const catalog = [
  endpoint(
    ["POST", "/v1/products"],
    "products.create",
    z.strictObject({ id: z.string().max(128).optional(), name: z.string().min(1) }),
    ({ id = newId("prod", 14), name }, { account }) => {
      if (account.products.get(id)) {
        throw invalidRequest("Product already exists.", { code: "resource_already_exists", param: "id" });
      }
      const product = newProduct(account, id, name);
      account.products.put(id, product);
      return product;
    },
  ),
  endpoint(["GET", "/v1/products/:id"], "products.retrieve", z.strictObject({}), (_, { account, path }) =>
    productOf(account, path.id),
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
    }),
    ({ active, lookup_keys, ...page }, { account }) => {
      const found = account.prices
        .all()
        .filter((one) => active === undefined || one.active === active)
        .filter((one) => !lookup_keys || (one.lookup_key !== null && lookup_keys.includes(one.lookup_key)));
      return listOf("/v1/prices", found, page);
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

function newProduct(account: Account, id: string, name: string): Product {
  const times = { created: account.now(), updated: account.now() };
  return { id, object: "product", active: true, ...times, livemode: false, metadata: {}, name } as Product;
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
    livemode: false,
    lookup_key: given.lookup_key ?? null,
    product: given.product,
    recurring: recurring
      ? {
          interval: recurring.interval,
          interval_count: 1,
          meter: recurring.meter ?? null,
          usage_type: recurring.usage_type,
        }
      : null,
    tax_behavior: given.tax_behavior,
    type: recurring ? "recurring" : "one_time",
    unit_amount: /^\d+$/.test(amount) ? Number(amount) : null,
    unit_amount_decimal: amount,
  } as Price;
}
