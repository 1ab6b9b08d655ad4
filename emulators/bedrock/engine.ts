// An engine answers behind the wire protocol. It gets only bodies that have passed every check.
import type { ReceivedCall } from "./journal.ts";
import type { MessageEvent } from "./message.ts";
import type { HostModel, ModelReference } from "./models.ts";
import type { RequestBody } from "./request/body-schema.ts";
import type { Settings } from "./settings.ts";
import type { Latency } from "./usage.ts";

/** A call with the settings that held when it came. */
export type Invocation = {
  call: ReceivedCall;
  reference: ModelReference;
  model: HostModel;
  body: RequestBody;
  /** The text of the body, in which numbers are as the caller wrote them. */
  text: string;
  settings: Settings;
};

/** A message in one piece; its pace is calculated from `tokens`. */
export type WholeMessage = { json: string; tokens: number; latency: Latency };

/** Events as they are generated. Events of another server come as promises. */
export type EventIterator = Iterator<MessageEvent, void> | AsyncIterator<MessageEvent, void>;

/** Engines write what a call costs into `call.usage` as soon as they know it. They throw an AwsError to refuse. */
export interface Engine {
  message(invocation: Invocation): Promise<WholeMessage>;
  /** Resolves when the stream has been accepted. */
  events(invocation: Invocation): Promise<EventIterator>;
  countTokens(invocation: Invocation): Promise<number>;
  /** Restores the first state, except ids. */
  clear(): void;
  /** Ends the calls in progress. */
  close(): void;
}
