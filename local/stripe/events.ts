// `/v2/core/events` and webhook destinations for thin events. Only the creation of a destination shows its secret.
import { randomBytes } from "node:crypto";
import * as z from "zod";
import type { Account, KeptDestination } from "./account.ts";
import { endpoint } from "./endpoint.ts";
import { newId } from "./ids.ts";
import type { Destination } from "./objects.ts";
import { int } from "./parameters.ts";
import { missing } from "./refusal.ts";

const url = z.url({ protocol: /^https?$/ });
const include = z.array(z.enum(["webhook_endpoint.signing_secret", "webhook_endpoint.url"])).optional();
const enabledEvents = z.array(z.string().regex(/^(\*|v[12]\.[a-z0-9_.]+)$/)).min(1);

const create = z.strictObject({
  name: z.string().min(1),
  type: z.literal("webhook_endpoint", "The local stack has webhook endpoints only."),
  event_payload: z.literal("thin", "The local stack has thin events only."),
  enabled_events: enabledEvents,
  include,
  webhook_endpoint: z.strictObject({ url }),
});

export const events = [
  endpoint(
    ["GET", "/v2/core/events"],
    "v2.core.events.list",
    z.strictObject({ object_id: z.string().optional(), limit: int.optional() }),
    ({ object_id, limit = 20 }, { account }) => ({
      data: account.events
        .all()
        .filter(({ related_object }) => object_id === undefined || related_object?.id === object_id)
        .slice(-limit)
        .reverse(),
      next_page_url: null,
      previous_page_url: null,
    }),
  ),
  endpoint(["GET", "/v2/core/events/:id"], "v2.core.events.retrieve", z.strictObject({}), (_, { account, path }) => {
    const event = account.events.get(path.id ?? "");
    if (!event) throw missing("event", path.id ?? "");
    return event;
  }),
  endpoint(
    ["POST", "/v2/core/event_destinations"],
    "v2.core.eventDestinations.create",
    create,
    (given, { account }) => {
      const secret = `whsec_${randomBytes(24).toString("base64url")}`;
      const destination = newDestination(account, given);
      account.destinations.put(destination.id, { id: destination.id, destination, secret });
      return shown({ id: destination.id, destination, secret }, given.include);
    },
  ),
  endpoint(
    ["GET", "/v2/core/event_destinations"],
    "v2.core.eventDestinations.list",
    z.strictObject({ limit: int.optional(), include }),
    ({ include }, { account }) => ({
      data: account.destinations.all().map((kept) => shown({ ...kept, secret: undefined }, include)),
      next_page_url: null,
      previous_page_url: null,
    }),
  ),
  endpoint(
    ["POST", "/v2/core/event_destinations/:id"],
    "v2.core.eventDestinations.update",
    z.strictObject({ enabled_events: enabledEvents.optional(), include }),
    ({ include, enabled_events }, { account, path }) => {
      const kept = destinationById(account, path.id);
      const destination: Destination = {
        ...kept.destination,
        ...(enabled_events && { enabled_events }),
        updated: iso(account),
      };
      account.destinations.put(kept.id, { ...kept, destination });
      return shown({ ...kept, destination, secret: undefined }, include);
    },
  ),
  endpoint(
    ["DELETE", "/v2/core/event_destinations/:id"],
    "v2.core.eventDestinations.del",
    z.strictObject({}),
    (_, { account, path }) => {
      const { id } = destinationById(account, path.id);
      account.destinations.delete(id);
      return { id, object: "v2.core.event_destination" };
    },
  ),
];

function destinationById(account: Account, id = ""): KeptDestination {
  const kept = account.destinations.get(id);
  if (!kept) throw missing("event destination", id);
  return kept;
}

/** A destination with its URL and secret if `include` names them. The secret is shown for a new destination only (docs.stripe.com/api/v2/core/event-destinations). */
function shown(kept: Omit<KeptDestination, "secret"> & { secret: string | undefined }, include: string[] | undefined) {
  const { webhook_endpoint, ...destination } = kept.destination;
  const asked = {
    ...(include?.includes("webhook_endpoint.url") && { url: webhook_endpoint?.url }),
    ...(include?.includes("webhook_endpoint.signing_secret") && kept.secret && { signing_secret: kept.secret }),
  };
  return { ...destination, webhook_endpoint: asked };
}

function newDestination(account: Account, given: z.output<typeof create>): Destination {
  return {
    id: newId("ed_test"),
    object: "v2.core.event_destination",
    created: iso(account),
    description: "",
    enabled_events: given.enabled_events,
    event_payload: "thin",
    events_from: ["self"],
    livemode: false,
    metadata: {},
    name: given.name,
    status: "enabled",
    type: "webhook_endpoint",
    updated: iso(account),
    webhook_endpoint: { url: given.webhook_endpoint.url },
  } satisfies Destination;
}

function iso(account: Account): string {
  return new Date(account.now() * 1000).toISOString();
}
