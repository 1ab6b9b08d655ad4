// What is sold: products, meters and their prices. The local stack has metered prices only, billed by the month.
import * as z from "zod";
import type { Account } from "./account.ts";
import { endpoint, listing, retrieval } from "./endpoint.ts";
import { type Meter, newId, type Price, type Product } from "./objects.ts";
import { bool } from "./parameters.ts";
import { invalidRequest, known } from "./refusal.ts";

const payloadKey = z.string().max(100);

const newMeter = z.strictObject({
  display_name: z.string().min(1).max(250),
  event_name: z.string().min(1).max(100),
  // The local stack counts usage of a meter that keeps the last value only.
  default_aggregation: z.strictObject({ formula: z.enum(["sum", "last"]) }),
  customer_mapping: z
    .strictObject({ type: z.literal("by_id"), event_payload_key: payloadKey })
    .default({ type: "by_id", event_payload_key: "stripe_customer_id" }),
  value_settings: z.strictObject({ event_payload_key: payloadKey }).default({ event_payload_key: "value" }),
});

const newPrice = z.strictObject({
  currency: z.string().length(3),
  product: z.string(),
  // Metered prices need a meter since 2025-03-31 (docs.stripe.com/changelog/basil).
  recurring: z.strictObject({ interval: z.literal("month"), usage_type: z.literal("metered"), meter: z.string() }),
  // At most 12 decimals of a cent (docs.stripe.com/api/prices/create, unit_amount_decimal).
  unit_amount_decimal: z.string().regex(/^\d{1,12}(\.\d{1,12})?$/, "must be a decimal with at most 12 decimals"),
  lookup_key: z.string().max(200).optional(),
  transfer_lookup_key: bool.optional(),
  tax_behavior: z.enum(["exclusive", "inclusive", "unspecified"]).default("unspecified"),
});

export const catalog = [
  endpoint(
    ["POST", "/v1/products"],
    "products.create",
    z.strictObject({ id: z.string().max(128).optional(), name: z.string().min(1) }),
    ({ id = newId("prod"), name }, { account }) => {
      if (account.products.get(id)) {
        throw invalidRequest("Product already exists.", { code: "resource_already_exists", param: "id" });
      }
      const product = { id, object: "product", active: true, name } as Product;
      account.products.put(id, product);
      return product;
    },
  ),
  retrieval("/v1/products", "products", "product", ({ products }, id) => products.get(id)),

  endpoint(["POST", "/v1/billing/meters"], "billing.meters.create", newMeter, (given, { account }) => {
    if (activeMeter(account, given.event_name)) {
      // The refusal is documented, its message is not (docs.stripe.com/api/billing/meter/create).
      throw invalidRequest(`A meter with event_name ${given.event_name} already exists.`, { param: "event_name" });
    }
    const meter = { id: newId("mtr_test"), object: "billing.meter", ...given, status: "active" } as Meter;
    account.meters.put(meter.id, meter);
    return meter;
  }),
  listing("/v1/billing/meters", "billing.meters", ["status"], ({ meters }) => meters.all()),

  endpoint(["POST", "/v1/prices"], "prices.create", newPrice, ({ transfer_lookup_key, ...given }, { account }) => {
    known(account.products.get(given.product), "product", given.product, "product", 400);
    known(account.meters.get(given.recurring.meter), "meter", given.recurring.meter, "recurring[meter]", 400);
    freeLookupKey(account, given.lookup_key, transfer_lookup_key);
    const { lookup_key = null } = given;
    const price = { id: newId("price"), object: "price", active: true, ...given, lookup_key } as Price;
    account.prices.put(price.id, price);
    return price;
  }),
  listing(
    "/v1/prices",
    "prices",
    ["active"],
    ({ prices }, { lookup_keys }) =>
      prices.all().filter((one) => !lookup_keys || lookup_keys.includes(String(one.lookup_key))),
    { lookup_keys: z.array(z.string()).max(10).optional() },
  ),
];

/** An event name belongs to one active meter. */
export function activeMeter(account: Account, eventName: string): Meter | undefined {
  return account.meters.all().find(({ event_name, status }) => event_name === eventName && status === "active");
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
