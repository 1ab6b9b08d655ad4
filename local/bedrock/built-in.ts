// The engine that needs no model: answers by rule, with a simulated prompt cache and ids that count up.
import type { Clock } from "../clock.ts";
import { answer } from "./answer.ts";
import type { Engine, Work } from "./engine.ts";
import { type Message, messageEvents, messageJson } from "./message.ts";
import { publicName } from "./models.ts";
import { PromptCache } from "./prompt-cache.ts";
import type { Settings } from "./settings.ts";
import { countPrompt, promptParts } from "./tokens.ts";
import type { Latency } from "./usage.ts";

export class BuiltIn implements Engine {
  readonly #cache: PromptCache;
  #messages = 0;
  #toolUses = 0;

  constructor(clock: Clock) {
    this.#cache = new PromptCache(clock);
  }

  async message(work: Work) {
    const message = this.#write(work);
    const tokens = message.usage.output_tokens;
    return { json: messageJson(message), tokens, latency: plannedLatency(tokens, work.settings) };
  }

  async events(work: Work) {
    const message = this.#write(work);
    return messageEvents(message, work.settings, plannedLatency(message.usage.output_tokens, work.settings));
  }

  async countTokens({ body }: Work) {
    return countPrompt(promptParts(body));
  }

  clear(): void {
    this.#cache.clear();
  }

  close(): void {}

  /** The whole message is made and counted at once: what was begun is generated to its end, whoever listens. */
  #write({ call, body, reference, settings }: Work): Message {
    const model = publicName(reference.base);
    const toolUseId = () => bedrockId("toolu", ++this.#toolUses);
    const made = answer(body, { model, outputTokens: settings.outputTokens, toolUseId });
    const scope = `${call.region} ${reference.base} `;
    const input = this.#cache.use(scope, promptParts(body), settings.cacheMinimumTokens);
    const usage = { ...input, output_tokens: made.outputTokens };
    call.usage = usage;
    return { id: bedrockId("msg", ++this.#messages), model, answer: made, usage };
  }
}

/** The latency that the settings ask for, not the one measured: the same calls give the same bytes. */
function plannedLatency(tokens: number, { firstByteMilliseconds, millisecondsPerToken }: Settings): Latency {
  return {
    invocationLatency: Math.round(firstByteMilliseconds + tokens * millisecondsPerToken),
    firstByteLatency: Math.round(firstByteMilliseconds),
  };
}

/** Ids in Bedrock's form. They count up, so the same calls give the same ids. */
function bedrockId(kind: "msg" | "toolu", count: number): string {
  return `${kind}_bdrk_01${String(count).padStart(22, "0")}`;
}
