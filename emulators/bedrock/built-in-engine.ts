// The engine that needs no model: answers by rule, with a simulated prompt cache and ids that count up.
import type { Clock } from "../clock.ts";
import { answer } from "./answer.ts";
import type { Engine, Invocation } from "./engine.ts";
import { type Message, messageEvents, messageJson, safeguardResults } from "./message.ts";
import { publicName } from "./models.ts";
import { PromptCache } from "./prompt-cache.ts";
import { countPrompt, promptParts } from "./request/tokens.ts";
import { checkRules } from "./rules/rule.ts";
import { signatureRules } from "./rules/signature-rules.ts";
import { bindThinking } from "./rules/thinking-binding.ts";
import type { Settings } from "./settings.ts";
import type { Latency } from "./usage.ts";

export class BuiltInEngine implements Engine {
  readonly #cache: PromptCache;
  #messages = 0;
  #toolUses = 0;

  constructor(clock: Clock) {
    this.#cache = new PromptCache(clock);
  }

  async message(invocation: Invocation) {
    const message = this.#write(invocation);
    const tokens = message.usage.output_tokens;
    return { json: messageJson(message), tokens, latency: plannedLatency(tokens, invocation.settings) };
  }

  async events(invocation: Invocation) {
    const message = this.#write(invocation);
    return messageEvents(
      message,
      invocation.settings,
      plannedLatency(message.usage.output_tokens, invocation.settings),
    );
  }

  async countTokens({ body }: Invocation) {
    return countPrompt(promptParts(body));
  }

  clear(): void {
    this.#cache.clear();
  }

  close(): void {}

  /** Generates and counts the whole message at once, so that it costs the same if the caller leaves. */
  #write({ call, body: sent, reference, model: hostModel, settings }: Invocation): Message {
    const host = { model: hostModel, bindsThinking: settings.bindsThinking };
    checkRules(signatureRules, sent, host);
    const { body, transformations, signature } = bindThinking(sent, host);
    const model = publicName(reference.base);
    const toolUseId = () => bedrockId("toolu", ++this.#toolUses);
    const made = answer(body, { model, outputTokens: settings.outputTokens, toolUseId });
    const scope = `${call.region} ${reference.base} `;
    const input = this.#cache.use(scope, promptParts(body));
    const usage = { ...input, output_tokens: made.outputTokens };
    call.usage = usage;
    const results = body.safeguards?.length ? safeguardResults(made) : undefined;
    return {
      id: bedrockId("msg", ++this.#messages),
      ...{ model, answer: made, usage, signature },
      inputTransformations: transformations,
      safeguardResults: results,
    };
  }
}

/** The latency of the settings, not a measured one, so that the same calls give the same bytes. */
function plannedLatency(tokens: number, { firstByteMs, millisecondsPerToken }: Settings): Latency {
  return {
    invocationLatency: Math.round(firstByteMs + tokens * millisecondsPerToken),
    firstByteLatency: Math.round(firstByteMs),
  };
}

/** Ids in Bedrock's form. They count up, so the same calls give the same ids. */
function bedrockId(kind: "msg" | "toolu", count: number): string {
  return `${kind}_bdrk_01${String(count).padStart(22, "0")}`;
}
