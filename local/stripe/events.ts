// Events and where they go: `/v2/core/events`, and webhook destinations for thin events, whose secret only creation shows.
import { randomBytes } from "node:crypto";
import * as z from "zod";
import type { Account, KeptDestination } from "./account.ts";
import { endpoint } from "./endpoint.ts";
import { newId } from "./ids.ts";
import type { Destination } from "./objects.ts";
import { int, metadata } from "./parameters.ts";
import { invalidRequest, missing } from "./refusal.ts";

const url = z.url({ protocol: /^https?$/ });
const include = z.array(z.enum(["webhook_endpoint.signing_secret", "webhook_endpoint.url"])).optional();
const enabledEvents = z.array(z.string().regex(/^(\*|v[12]\.[a-z0-9_.]+)$/)).min(1);

const create = z.strictObject({
  name: z.string().min(1),
  type: z.literal("webhook_endpoint", "The local stack has webhook endpoints only."),
  event_payload: z.literal("thin", "The local stack has thin events only."),
  enabled_events: enabledEvents,
  description: z.string().optional(),
  include,
  metadata: metadata.optional(),
  webhook_endpoint: z.strictObject({ url }),
});

export const events = [
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
    ["GET", "/v2/core/event_destinations/:id"],
    "v2.core.eventDestinations.retrieve",
    z.strictObject({ include }),
    ({ include }, { account, path }) => shown({ ...destinationById(account, path.id), secret: undefined }, include),
  ),
  endpoint(
    ["POST", "/v2/core/event_destinations/:id"],
    "v2.core.eventDestinations.update",
    z.strictObject({
      name: z.string().min(1).optional(),
      description: z.string().optional(),
      enabled_events: enabledEvents.optional(),
      include,
      webhook_endpoint: z.strictObject({ url }).optional(),
    }),
    ({ include, webhook_endpoint, name, description, enabled_events }, { account, path }) => {
      const kept = destinationById(account, path.id);
      const destination: Destination = {
        ...kept.destination,
        ...(name !== undefined && { name }),
        ...(description !== undefined && { description }),
        ...(enabled_events && { enabled_events }),
        ...(webhook_endpoint && { webhook_endpoint }),
        updated: iso(account),
      };
      account.destinations.put(kept.id, { ...kept, destination });
      return shown({ ...kept, destination, secret: undefined }, include);
    },
  ),
  ...(["disable", "enable"] as const).map((action) =>
    endpoint(
      ["POST", `/v2/core/event_destinations/:id/${action}`],
      `v2.core.eventDestinations.${action}`,
      z.strictObject({}),
      (_, { account, path }) => {
        const kept = destinationById(account, path.id);
        const status = action === "enable" ? "enabled" : "disabled";
        if (kept.destination.status === status) throw invalidRequest(`The event destination is already ${status}.`);
        const destination: Destination = { ...kept.destination, status, updated: iso(account) };
        account.destinations.put(kept.id, { ...kept, destination });
        return shown({ ...kept, destination, secret: undefined }, undefined);
      },
    ),
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

/** Secret and URL only if they are asked for, the secret only of a new one (docs.stripe.com/api/v2/core/event-destinations). */
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
    description: given.description ?? "",
    enabled_events: given.enabled_events,
    event_payload: "thin",
    events_from: ["self"],
    livemode: false,
    metadata: given.metadata ?? {},
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
