// Repeats a call that the model host refused for something that can be left out, without it: beta flags, fields that it does not know.
import type { Bridged, Parts, WorthSending } from "../../domain/messages/bridge.ts";
import { type ModelCall, ModelHostError, type ModelRequest } from "../../domain/messages/model-host.ts";
import type { ProxyCall } from "./call.ts";
import type { ProxyServices } from "./services.ts";

/** Makes a call, and repeats it without what is refused. */
export type Sender = <T>(call: (modelCall: ModelCall) => Promise<T>) => Promise<T>;

/** A call without its request. */
export type Called = Omit<ModelCall, keyof ModelRequest>;

/** A caller may write many fields that nobody knows, and the host names one at a time. */
const mostRepeats = 8;
const nothing: Parts = { flags: [], fields: [] };

/** Leaves out from the beginning what the instance remembers as refused. */
export function worthSending({ refused }: ProxyServices, called: Called): WorthSending {
  return ({ flags, fields }) => ({
    flags: refused.flags.worthTrying(called, flags),
    fields: refused.fields.worthTrying(called, fields),
  });
}

/**
 * The model host names a field that it does not know, which goes with the flags that it needs. It does not say which flag it
 * refuses: they go by how little is known of them, the last repeat being without any. Once the instance remembers what is refused there is no
 * repeat. A refused call was not billed, and the caller has no answer yet, so the repeat uses the same reservation.
 */
export function sender(
  services: ProxyServices,
  { facts, dropped }: ProxyCall,
  { modelCall, bridged }: { modelCall: Called; bridged: Bridged },
): Sender {
  const { refused, telemetry } = services;
  const blame = ({ flags, fields }: Parts) => {
    if (flags.length > 0) {
      refused.flags.add(modelCall, flags);
      telemetry.flagsRefused(flags, facts);
    }
    if (fields.length > 0) {
      refused.fields.add(modelCall, fields);
      telemetry.fieldsRefused(fields, facts);
    }
  };
  return async (call) => {
    let sent = bridged;
    let suspects = nothing;
    for (let repeats = 0; ; repeats++) {
      dropped.push(...sent.dropped);
      const answer = call({ ...modelCall, body: sent.body, betas: sent.betas });
      const error: unknown = await answer.then(
        () => undefined,
        (reason) => reason,
      );
      const part = error instanceof ModelHostError ? error.refusedPart : undefined;
      // Flags are blamed only once the call is not refused for flags without them.
      const blind = part === "flags";
      if (!blind) blame(suspects);
      suspects = blind ? sent.suspects : nothing;
      const named = part === undefined || part === "flags" ? nothing : sent.withField(part.field);
      blame(named);
      const parts = blind ? suspects : named;
      if (parts.flags.length + parts.fields.length === 0 || repeats === mostRepeats) return answer;
      sent = sent.without(parts);
    }
  };
}
