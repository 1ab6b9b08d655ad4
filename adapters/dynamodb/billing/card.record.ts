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
  purge: { stays: "the owners of a card, under its hash; `payments` removes an owner with the last workspace" },
  written:
    "by `webhook` and `payments`, whenever an owner has a new card, which restarts the 25 months: the owners of the card, under an HMAC of its fingerprint; an owner is removed with the last workspace",
});
