// The meter and price of each slot, as `npm run stripe:setup` names them: `usage_usd_1`, `usage_usd_2` ...
import type Stripe from "stripe";
import { PaymentError } from "../../domain/billing/payment-provider.ts";
import { call } from "./client.ts";

export type Slot = { eventName: string; priceId: string };

/** Event name of a slot's meter, and its price's lookup key. */
export function slotName(slot: number): string {
  return `usage_usd_${slot}`;
}

/** Reads each slot once, since a name's price and meter never change. */
export class Slots {
  readonly #stripe: Stripe;
  readonly #known = new Map<number, Slot>();

  constructor(stripe: Stripe) {
    this.#stripe = stripe;
  }

  /** @throws PaymentError `price_missing` if the account is not set up for the slot */
  async get(slot: number): Promise<Slot> {
    const known = this.#known.get(slot);
    if (known) return known;
    const eventName = slotName(slot);
    const { data } = await call("prices.list", () =>
      this.#stripe.prices.list({ lookup_keys: [eventName], active: true, limit: 1 }),
    );
    if (!data[0]?.recurring?.meter) throw new PaymentError("prices.list", { code: "price_missing", param: eventName });
    const found = { eventName, priceId: data[0].id };
    this.#known.set(slot, found);
    return found;
  }
}
