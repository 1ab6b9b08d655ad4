// The request of a counting call.
import type { Model } from "../catalog/catalog.ts";
import { record } from "../kernel/json.ts";
import { type MessagesBody, withinOutputLimit } from "./body.ts";
import { type Bridged, bridge, type KnownRefusals } from "./bridge.ts";

/**
 * Sends only the flags that the model's table lists: an unknown one hardly changes a count. The request is complete, since a host may
 * count no other: clients that count send no `max_tokens`, which has to be above the budget of thinking.
 * @param headerFlags the beta flags of the client's header
 */
export function bridgeCount(
  body: MessagesBody,
  model: Model,
  headerFlags: readonly string[],
  known?: KnownRefusals,
): Bridged {
  const { budget_tokens } = record(body.thinking);
  const maxTokens = typeof budget_tokens === "number" ? budget_tokens + 1 : 1;
  const complete = withinOutputLimit({ max_tokens: maxTokens, ...body }, model);
  return bridge(complete, model, headerFlags, known, { isTried: () => false });
}
