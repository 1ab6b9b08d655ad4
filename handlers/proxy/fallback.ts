// A call whose region is short goes to the second one that the caller's grant allows, and so do the caller's calls of that model for an hour
// (docs/decisions/0109-when-a-region-is-short.md).
import { fallsBack, newFallback } from "../../domain/budget/spending.ts";
import { ModelHostError } from "../../domain/messages/model-host.ts";
import type { InFlightCall, PricedRoute } from "./in-flight-call.ts";
import type { Sender } from "./repair.ts";
import type { ProxyServices } from "./services.ts";

/** The regions of a call: its own, and the one where it may go while its own is short. */
export type Routes = { model: string; own: PricedRoute; second: PricedRoute | undefined };

/**
 * Sends a call to one region and, if the model host has no room for it there, to the second: never back, and not once the answer or its status
 * has begun. A call that was refused for lack of room was not billed.
 * @param senderTo makes the sender to a region, once the call goes there
 */
export function fallbackSender(
  { clock, telemetry }: Pick<ProxyServices, "clock" | "telemetry">,
  inFlight: InFlightCall,
  { model, own, second }: Routes,
  senderTo: (route: PricedRoute) => Sender,
): Sender {
  return async (call) => {
    if (!second) return senderTo(own)(call);
    if (fallsBack(inFlight.admitted.spending, model, second.region, clock())) {
      inFlight.moveTo(second);
      return senderTo(second)(call);
    }
    const answer = senderTo(own)(call);
    const error: unknown = await answer.then(
      () => undefined,
      (reason) => reason,
    );
    const isShort = error instanceof ModelHostError && error.lacksRoom;
    if (!isShort || inFlight.hasBegun || inFlight.call.hasStatus) return answer;
    telemetry.regionShort(inFlight.call.facts);
    inFlight.moveTo(second, newFallback(model, second.region, clock()));
    return senderTo(second)(call);
  };
}
