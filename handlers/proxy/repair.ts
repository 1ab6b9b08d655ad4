// Repeats a call that the model host refused for something that can be left out, without it: beta flags, fields that it does not know.

import { classOf } from "../../domain/catalog/message-fields.ts";
import type { Bridged, KnownRefusals } from "../../domain/messages/bridge.ts";
import {
  type ModelCall,
  ModelHostError,
  type ModelRequest,
  type RefusedPart,
} from "../../domain/messages/model-host.ts";
import { heldBy, withoutTypes } from "../../domain/messages/named-field.ts";
import type { ProxyCall } from "./call.ts";
import type { ProxyServices } from "./services.ts";

/** Makes a call, and repeats it without what is refused. */
export type Sender = <T>(call: (modelCall: ModelCall) => Promise<T>) => Promise<T>;

/** A call without its request. */
export type Called = Omit<ModelCall, keyof ModelRequest>;

/** A caller may write many fields that nobody knows, and the host names one at a time. */
const mostRepeats = 8;

/** The refusals of the model host that this instance remembers. */
export function knownRefusals({ refused }: ProxyServices, called: Called): KnownRefusals {
  return {
    refusesFlags: (flags) => refused.flags.isRefused(called, flags),
    fieldsRefusedWith: (flags) => refused.fields.of(called, conditionsOf(called, flags)),
  };
}

/** The conditions that decide, beside model and region, which fields a host takes: the flags and the version of the Messages API. */
function conditionsOf({ headers }: Called, flags: readonly string[]): string[] {
  return [...flags, `anthropic-version: ${headers["anthropic-version"] ?? ""}`];
}

/**
 * Whether a refusal of the field is remembered. One that the Messages API names within the body is not: whether the host takes it may depend on
 * what else the caller wrote, such as the role of the turn.
 */
function isLearnt(pattern: string): boolean {
  const place = heldBy(pattern);
  return place.holder === ":" || classOf(place) === undefined;
}

/**
 * The model host names a field that it does not know, which goes from everything of its kind, with the flags that it needs. It does not say
 * which flag it refuses: they go by how little is known of them, the last repeat being without any. Once the instance remembers what is refused
 * there is no repeat. A refused call was not billed, and the caller has no status yet, so the repeat uses the same reservation.
 */
export function sender(
  services: ProxyServices,
  caller: ProxyCall,
  { modelCall, bridged }: { modelCall: Called; bridged: Bridged },
): Sender {
  const { refused, telemetry } = services;
  const { facts, dropped } = caller;
  const blameFlags = (flags: readonly string[]) => {
    if (flags.length === 0) return;
    refused.flags.add(modelCall, flags);
    telemetry.flagsRefused(flags, facts);
  };
  const blameFields = (fields: readonly string[], { betas }: ModelRequest) => {
    const [learnt, ...more] = fields.filter(isLearnt);
    if (learnt !== undefined && more.length === 0)
      refused.fields.add(modelCall, learnt, conditionsOf(modelCall, betas));
    telemetry.fieldsRefused(fields.map(withoutTypes), facts);
  };
  const withoutPart = (sent: Bridged, part: Exclude<RefusedPart, "thinking">) => {
    if (part === "flags")
      return sent.suspects.length > 0 ? sent.without({ flags: sent.suspects, fields: [] }) : undefined;
    const fields = sent.named(part.fields);
    if (fields.length === 0) return undefined;
    blameFields(fields, sent);
    return sent.without({ flags: [], fields });
  };
  return async (call) => {
    let sent = bridged;
    let suspects: readonly string[] = [];
    for (let repeats = 0; ; repeats++) {
      dropped.push(...sent.dropped);
      const answer = call({ ...modelCall, body: sent.body, betas: sent.betas, metadata: sent.metadata });
      const error: unknown = await answer.then(
        () => undefined,
        (reason) => reason,
      );
      const part = error instanceof ModelHostError ? error.refusedPart : undefined;
      // Flags are blamed only once the call is not refused for flags without them.
      const blind = part === "flags";
      if (!blind) blameFlags(suspects);
      suspects = blind ? sent.suspects : [];
      if (part === undefined || repeats === mostRepeats) return answer;
      const next = part === "thinking" ? sent.withoutBoundThinking() : withoutPart(sent, part);
      if (next === undefined || caller.hasStatus) return answer;
      sent = next;
    }
  };
}
