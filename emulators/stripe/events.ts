// `/v2/core/events` and webhook destinations for thin events. Only the creation of a destination shows its secret.
import { randomBytes } from "node:crypto";
import * as z from "zod";
import type { Account, KeptDestination } from "./account.ts";
import { endpoint, nothing, retrieval } from "./endpoint.ts";
import { type Destination, newId } from "./objects.ts";
import { int } from "./parameters.ts";
import { known } from "./refusal.ts";

const include = z.array(z.enum(["webhook_endpoint.signing_secret", "webhook_endpoint.url"])).default([]);
const enabledEvents = z.array(z.string().regex(/^(\*|v[12]\.[a-z0-9_.]+)$/)).min(1);
const destinationsUrl = "/v2/core/event_destinations";

const create = z.strictObject({
  name: z.string().min(1),
  type: z.literal("webhook_endpoint", "The local stack has webhook endpoints only."),
  event_payload: z.literal("thin", "The local stack has thin events only."),
  enabled_events: enabledEvents,
  webhook_endpoint: z.strictObject({ url: z.url({ protocol: /^https?$/ }) }),
  include,
});

export const events = [
  endpoint(
    ["GET", "/v2/core/events"],
    "v2.core.events.list",
    z.strictObject({ object_id: z.string().optional(), limit: int.default(20) }),
    ({ object_id, limit }, { account: { events } }) => {
      const found = events.all().filter((one) => object_id === undefined || one.related_object?.id === object_id);
      return wholeList(found.slice(-limit).reverse());
    },
  ),
  retrieval("/v2/core/events", "v2.core.events", "event", ({ events }, id) => events.get(id)),
  endpoint(
    ["POST", destinationsUrl],
    "v2.core.eventDestinations.create",
    create,
    ({ include, ...given }, { account }) => {
      const id = newId("ed_test");
      const made = { id, object: "v2.core.event_destination", ...given, status: "enabled" };
      const secret = `whsec_${randomBytes(24).toString("base64url")}`;
      return shown(put(account, { id, destination: made as unknown as Destination, secret }), include, secret);
    },
  ),
  endpoint(
    ["GET", destinationsUrl],
    "v2.core.eventDestinations.list",
    z.strictObject({ limit: int.optional(), include }),
    ({ include }, { account }) => wholeList(account.destinations.all().map((kept) => shown(kept, include))),
  ),
  endpoint(
    ["POST", `${destinationsUrl}/:id`],
    "v2.core.eventDestinations.update",
    z.strictObject({ enabled_events: enabledEvents, include }),
    ({ include, enabled_events }, { account, path }) => {
      const kept = destinationById(account, path.id);
      return shown(put(account, { ...kept, destination: { ...kept.destination, enabled_events } }), include);
    },
  ),
  endpoint(["DELETE", `${destinationsUrl}/:id`], "v2.core.eventDestinations.del", nothing, (_, { account, path }) => {
    const { id } = destinationById(account, path.id);
    account.destinations.delete(id);
    return { id, object: "v2.core.event_destination" };
  }),
];

const wholeList = (data: object[]) => ({ data, next_page_url: null, previous_page_url: null });

function destinationById(account: Account, id = ""): KeptDestination {
  return known(account.destinations.get(id), "event destination", id);
}

function put(account: Account, kept: KeptDestination): KeptDestination {
  account.destinations.put(kept.id, kept);
  return kept;
}

/** Shows URL and secret if `include` names them; the secret of a new destination only (docs.stripe.com/api/v2/core/event-destinations). */
function shown({ destination }: KeptDestination, include: string[], signing_secret?: string): object {
  const all = { url: destination.webhook_endpoint?.url, signing_secret };
  const asked = Object.entries(all).filter(([name]) => include.includes(`webhook_endpoint.${name}`));
  return { ...destination, webhook_endpoint: Object.fromEntries(asked) };
}
