// Beta flags that the catalog does not list are tried. If the model host refuses them, the call is made once more without.
import type { Bridged } from "../../domain/messages/bridge.ts";
import { type ModelCall, refusesFlags } from "../../domain/messages/model-host.ts";
import type { InFlightCall } from "./in-flight-call.ts";
import type { ProxyServices } from "./services.ts";

/** Makes the call in whichever way. */
export type Sender = <T>(call: (modelCall: ModelCall) => Promise<T>) => Promise<T>;

type ToSend = {
  /** Of the catalog. */
  modelId: string;
  modelCall: ModelCall;
  bridged: Bridged;
};

/** The refused call was not billed, and the caller has heard nothing yet: the second one goes on with its reservation. */
export function sender(
  services: ProxyServices,
  inFlight: InFlightCall,
  { modelId, modelCall, bridged }: ToSend,
): Sender {
  return async (call) => {
    try {
      return await call(modelCall);
    } catch (error) {
      const { tried } = bridged;
      if (tried.length === 0 || !refusesFlags(error)) throw error;
      services.refusedBetas.add(modelId, tried);
      services.telemetry.flagsRefused(tried, inFlight.call.facts);
      inFlight.dropped.push(...tried);
      return call({ ...modelCall, body: bridged.withListedFlags() });
    }
  };
}
