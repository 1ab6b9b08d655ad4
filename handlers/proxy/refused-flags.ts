// Repeats a call that the model host refused for a beta flag, without the flags that may be the reason.
import type { Bridged } from "../../domain/messages/bridge.ts";
import { type ModelCall, refusesFlags } from "../../domain/messages/model-host.ts";
import type { ProxyCall } from "./call.ts";
import type { ProxyServices } from "./services.ts";

/** Makes a call, and repeats it if its flags are refused. */
export type Sender = <T>(call: (modelCall: ModelCall) => Promise<T>) => Promise<T>;

type ToSend = { modelCall: Omit<ModelCall, "body">; bridged: Bridged };

/**
 * The model host does not say which flag it refuses: the first repeat is without the flags that no table lists, the second
 * without any. Once the instance remembers the refused flags there is no repeat. A refused call was not billed, and the caller
 * has no answer yet, so the repeat uses the same reservation.
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
      // Flags are blamed only once the call passed without them.
      if (!refused) blame(suspects);
      suspects = sent.tried.length > 0 ? sent.tried : sent.betas;
      if (!refused || suspects.length === 0) return answer;
      sent = sent.without(suspects);
    }
  };
}
