// The queue of usage that could not be settled. Its SDK is loaded with the first message.
import type { UnsettledQueue } from "../domain/budget/unsettled.ts";
import { queueSender } from "./sqs.ts";

export function unsettledQueue(url: string, sender = queueSender(url)): UnsettledQueue {
  return { send: (unsettled) => sender.send({ body: JSON.stringify(unsettled) }) };
}
