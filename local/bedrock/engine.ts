// What stands behind the wire protocol: something that answers bodies which have passed every check.
import type { RequestBody } from "./body-schema.ts";
import type { ModelCall } from "./journal.ts";
import type { MessageEvent } from "./message.ts";
import type { ModelReference } from "./models.ts";
import type { Settings } from "./settings.ts";
import type { Latency } from "./usage.ts";

/** One call on its way through the host, with the settings that held when it came. */
export type Work = { call: ModelCall; reference: ModelReference; body: RequestBody; settings: Settings };

/** A message in one piece; `tokens` is what its pace is reckoned by. */
export type WholeMessage = { json: string; tokens: number; latency: Latency };

/** Events as they are generated. What comes from another server comes as promises. */
export type EventSource = Iterator<MessageEvent, void> | AsyncIterator<MessageEvent, void>;

/** Engines write what a call costs into `call.usage` as soon as they know it. They throw an AwsError to refuse. */
export interface Engine {
  message(work: Work): Promise<WholeMessage>;
  /** Resolves when the stream has been accepted. */
  events(work: Work): Promise<EventSource>;
  countTokens(work: Work): Promise<number>;
  /** Back to the beginning, but for ids. */
  clear(): void;
  /** Ends what is under way. */
  close(): void;
}
