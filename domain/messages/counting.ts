// What a counting call sends to the model host, in InvokeModel's form.
import type { Model } from "../catalog/catalog.ts";
import { record } from "../json.ts";
import type { MessagesBody } from "./body.ts";
import { bridge } from "./bridge.ts";

/**
 * Only flags that the model's table lists are sent: an unknown one would cost the count (`invalid beta flag`), hardly changes
 * it, and a count is not asked for twice. CountTokens wants `max_tokens`, above the budget of thinking; clients that count
 * send none.
 * @param betaHeader the client's `anthropic-beta`
 */
export function countingBody(body: MessagesBody, model: Model, betaHeader: string | undefined): string {
  const { budget_tokens } = record(body.thinking);
  const max_tokens = typeof budget_tokens === "number" ? budget_tokens + 1 : 1;
  return bridge({ max_tokens, ...body }, model, betaHeader, () => []).body;
}
