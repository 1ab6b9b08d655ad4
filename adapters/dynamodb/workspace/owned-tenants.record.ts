// The record of an owner's tenants: an attribute for each, one for each slot of the billing, and their number.
import * as z from "zod";
import { defineRecord } from "../record.ts";

export const ownedTenantsRecord = defineRecord({
  kind: "ownedTenants",
  title: "owned tenants",
  pk: "OWNED#{owner_sub}",
  sk: "OWNED",
  schema: z.object({ owned: z.number().optional(), is_closing: z.boolean().optional() }).catchall(z.string()),
  version: 1,
  life: "until the owner's account is removed",
  purge: { with: "person", by: "key" },
  control: ["get", "update"],
  written:
    "when a tenant is created or purged, and when the billing of a purged tenant has ended; the tenant with each billing slot (`s#1`), from the creation of its subscription to its purge",
});
