// The record of a debt that left with its owner, under a keyed hash of the owner's address or card.
import * as z from "zod";
import { defineRecord } from "../record.ts";

export const debtorRecord = defineRecord({
  kind: "debtor",
  title: "debt that left",
  pk: "DEBTOR#{mark}",
  sk: "{customer_id}",
  schema: z.object({ cents: z.number() }),
  version: 1,
  life: { months: 25 },
  purge: { stays: "a debt, under a hash that identifies no person" },
  written:
    "by `payments`, before it deletes a customer with open invoices: the amount in cents, under an HMAC of the owner's address and of each card",
});
