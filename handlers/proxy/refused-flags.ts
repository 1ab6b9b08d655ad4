// Beta flags that the model host refuses, listed or not: the call is made again without those that may be the reason.
import type { Bridged } from "../../domain/messages/bridge.ts";
import { type ModelCall, refusesFlags } from "../../domain/messages/model-host.ts";
import type { ProxyCall } from "./call.ts";
import type { ProxyServices } from "./services.ts";

/** Makes the call in whichever way. */
export type Sender = <T>(call: (modelCall: ModelCall) => Promise<T>) => Promise<T>;

type ToSend = { modelCall: Omit<ModelCall, "body">; bridged: Bridged };

/**
 * The model host does not say which flag it refuses: first those go that no table lists, then all. So there are two repeats
 * at the most, and none once the instance remembers what was refused there. A refused call was not billed, and the caller
 * has heard nothing yet: the next one goes on with its reservation.
 */
export function sender(services: ProxyServices, { facts, dropped }: ProxyCall, { modelCall, bridged }: ToSend): Sender {
  const blame = (flags: readonly string[]) => {
    if (flags.length === 0) return;
    services.refusedBetas.add(modelCall, flags);
    services.telemetry.flagsRefused(flags, facts);
  };
  return async (call) => {
    let sent = bridged;
    let suspects: readonly string[] = [];
    for (;;) {
      dropped.push(...sent.dropped);
      const answer = call({ ...modelCall, body: sent.body });
      const refused = await answer.then(() => false, refusesFlags);
      // Only now: what is refused without them too is not their fault.
      if (!refused) blame(suspects);
      suspects = sent.tried.length > 0 ? sent.tried : sent.betas;
      if (!refused || suspects.length === 0) return answer;
      sent = sent.without(suspects);
    }
  };
}
