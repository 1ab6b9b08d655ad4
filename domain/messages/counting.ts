// The body of a counting call in the model host's form (InvokeModel).
import { isListed } from "../catalog/capability.ts";
import type { Model } from "../catalog/catalog.ts";
import { record } from "../kernel/json.ts";
import { type MessagesBody, withinOutputLimit } from "./body.ts";
import { type Bridged, bridge } from "./bridge.ts";

/**
 * Sends only the flags that the model's table lists: an unknown one hardly changes a count. CountTokens requires `max_tokens`
 * above the budget of thinking, and clients that count send none.
 * @param headerFlags the beta flags of the client's header
 * @param worthTrying which of the listed flags are sent
 */
export function bridgeCount(
  body: MessagesBody,
  model: Model,
  headerFlags: readonly string[],
  worthTrying: (flags: string[]) => string[] = (flags) => flags,
): Bridged {
  const { budget_tokens } = record(body.thinking);
  const maxTokens = typeof budget_tokens === "number" ? budget_tokens + 1 : 1;
  return bridge(withinOutputLimit({ max_tokens: maxTokens, ...body }, model), model, headerFlags, (flags) =>
    worthTrying(flags.filter((flag) => isListed(model.capabilities, flag))),
  );
}
