// What a counting call sends to the model host, in InvokeModel's form.
import { isListed } from "../catalog/capability.ts";
import type { Model } from "../catalog/catalog.ts";
import { list, record } from "../json.ts";
import type { MessagesBody } from "./body.ts";
import { countingBridge } from "./bridge.ts";

/**
 * Only flags that the model's table lists are sent: an unknown one would cost the count (`invalid beta flag`) and hardly
 * changes it. CountTokens wants `max_tokens`, above the budget of thinking; clients that count send none.
 * @param betaHeader the client's `anthropic-beta`
 */
export function countingBody(body: MessagesBody, model: Model, betaHeader: string | undefined): string {
  const { anthropic_beta, ...rest } = body;
  const flags = [...(betaHeader ?? "").split(",").map((flag) => flag.trim()), ...list(anthropic_beta)];
  const listed = flags.filter((flag) => typeof flag === "string" && isListed(model.capabilities, flag));
  const { budget_tokens } = record(rest.thinking);
  const max_tokens = typeof budget_tokens === "number" ? budget_tokens + 1 : 1;
  return countingBridge({ max_tokens, ...rest }, model, listed.join(","));
}
