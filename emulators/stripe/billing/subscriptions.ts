// The endpoints of subscriptions.
import * as z from "zod";
import type { Account } from "../account.ts";
import { endpoint, listing, retrieval } from "../endpoint.ts";
import type { Subscription, SubscriptionItem } from "../objects.ts";
import { bool, customFields, mergedMetadata, metadata } from "../parameters.ts";
import { invalidRequest, known, missing } from "../refusal.ts";
import { finalizeByHand } from "./collection.ts";
import { makeDraft } from "./drafts.ts";
import { billable, newItem, newSubscription, subscriptionFields } from "./new-subscription.ts";
import { endSubscription } from "./subscription-end.ts";
import { lacksLocation, unknownLocation } from "./tax.ts";

/** An item is taken away by its id, or added by its price. */
const changedItem = z.union([z.strictObject({ id: z.string(), deleted: bool }), z.strictObject({ price: z.string() })]);

export const subscriptions = [
  endpoint(["POST", "/v1/subscriptions"], "subscriptions.create", subscriptionFields, (given, { account }) => {
    return account.putSubscription(newSubscription(account, given));
  }),
  // Cancelled subscriptions are listed only if the status asks for them (docs.stripe.com/api/subscriptions/list, status).
  listing(
    "/v1/subscriptions",
    "subscriptions",
    ["customer"],
    ({ subscriptions }, { status }) =>
      subscriptions.all().filter((one) => status === "all" || one.status !== "canceled"),
    { status: z.literal("all").optional() },
  ),
  retrieval("/v1/subscriptions", "subscriptions", "subscription", ({ subscriptions }, id) => subscriptions.get(id)),
  endpoint(
    ["POST", "/v1/subscriptions/:id"],
    "subscriptions.update",
    z.strictObject({
      automatic_tax: z.strictObject({ enabled: bool }).optional(),
      items: z.array(changedItem).optional(),
      metadata: metadata.optional(),
      description: z.string().max(500).optional(),
      invoice_settings: z.strictObject({ custom_fields: customFields }).optional(),
      proration_behavior: z.literal("none").optional(),
    }),
    ({ automatic_tax, items, metadata, description, invoice_settings }, { account, path }) => {
      const before = subscriptionById(account, path.id);
      if (before.ended_at !== null) throw ended();
      const tax = { ...before.automatic_tax, ...automatic_tax };
      if (automatic_tax && lacksLocation(account, { ...before, automatic_tax: tax })) throw unknownLocation();
      const subscription = account.putSubscription({
        ...before,
        items: items ? changedItems(account, before, items) : before.items,
        automatic_tax: tax,
        description: description ?? before.description,
        invoice_settings: invoice_settings
          ? { ...before.invoice_settings, ...invoice_settings }
          : before.invoice_settings,
        metadata: mergedMetadata(before.metadata, metadata),
      });
      account.emit("customer.subscription.updated", subscription);
      return subscription;
    },
  ),
  // Without invoice_now the usage of the period is lost (docs.stripe.com/api/subscriptions/cancel).
  endpoint(
    ["DELETE", "/v1/subscriptions/:id"],
    "subscriptions.cancel",
    z.strictObject({ invoice_now: bool.optional(), prorate: bool.optional() }),
    ({ invoice_now }, { account, path }) => {
      const subscription = subscriptionById(account, path.id);
      if (subscription.ended_at !== null) throw missing("subscription", subscription.id);
      const [item] = subscription.items.data;
      const ended = endSubscription(account, subscription);
      const { cancel_leaves } = account.settings;
      if (!invoice_now || !item || cancel_leaves === "nothing") return ended;
      // Usage that is aggregated by now counts. Usage that Stripe took and has not aggregated is lost.
      const period = { start: item.current_period_start, end: account.now() + 1 };
      const draft = makeDraft(account, ended, period, false);
      if (cancel_leaves === "final") finalizeByHand(account, draft, false);
      return subscriptionById(account, ended.id);
    },
  ),
];

/** An item that comes later has the period of the others; the local stack counts its meter's usage from the period's start on. */
function changedItems(account: Account, { id, items }: Subscription, given: z.output<typeof changedItem>[]) {
  const removed = given.flatMap((one) => ("id" in one && one.deleted ? [one.id] : []));
  const [{ current_period_end, current_period_start }] = items.data as [SubscriptionItem];
  const added = given.flatMap((one) =>
    "price" in one
      ? [newItem(id, billable(account, one.price, "items"), current_period_start, current_period_end)]
      : [],
  );
  return { ...items, data: [...items.data.filter((one) => !removed.includes(one.id)), ...added] };
}

/** Stripe's words, its code in docs.stripe.com/error-codes. */
function ended() {
  return invalidRequest("A canceled subscription can only update its cancellation_details and metadata.", {
    code: "invalid_canceled_subscription_fields",
  });
}

function subscriptionById(account: Account, id = ""): Subscription {
  return known(account.subscriptions.get(id), "subscription", id);
}
