// The records of an owner as the payment provider's customer.
import * as z from "zod";
import type { Customer } from "../../../domain/billing/customer.ts";
import { defineRecord, schemaOf } from "../record.ts";

const texts = z.array(z.string()).optional();

export const customerRecord = defineRecord({
  kind: "customer",
  title: "customer",
  pk: "BILLING#{owner_sub}",
  sk: "CUSTOMER",
  activeIndex: { pk: "CUSTOMERS#ALL", sk: "{read_at}#{owner_sub}" },
  schema: schemaOf<Customer>()(
    z.object({
      owner_sub: z.string(),
      customer_id: z.string(),
      has_payment_method: z.boolean(),
      tried_payment_method: z.string().optional(),
      owes: texts,
      seen: z.record(z.string(), z.string()).optional(),
      method_since: z.number().optional(),
      promoted: texts,
      cards: texts,
      version: z.number(),
      is_leaving: z.boolean().optional(),
    }),
  ),
  version: 1,
  life: "until the owner's last workspace is purged",
  purge: { with: "owner", by: "key" },
  written:
    "when the owner's first workspace is created; with each reading of the owner's state at the payment provider, by an event or once a day",
});

export const customerAddressRecord = defineRecord({
  kind: "customer",
  title: "address of a customer",
  pk: "BILLING#{owner_sub}",
  sk: "ADDRESS",
  schema: z.object({ email: z.string() }),
  version: 1,
  life: "until the customer is stored, or the owner's last workspace is purged",
  purge: { with: "owner", by: "key" },
  written:
    "before the first attempt to create the customer: the owner's e-mail address, so that a repeat sends the same address",
});
