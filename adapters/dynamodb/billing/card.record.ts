// The record of the owners who have had a card, under its keyed hash.
import * as z from "zod";
import { defineRecord } from "../record.ts";

export const cardRecord = defineRecord({
  kind: "card",
  title: "card",
  pk: "CARD#{mark}",
  sk: "OWNERS",
  schema: z.object({ owners: z.set(z.string()).optional() }),
  version: 1,
  life: { months: 25 },
  purge: { stays: "who has had a card, under its hash: `payments` takes the owner out with the last workspace" },
  written:
    "by `webhook` and `payments`, whenever an owner has a new card, from which the months count: who has had it, under an HMAC of its fingerprint; the owner is taken out with the last workspace",
});
