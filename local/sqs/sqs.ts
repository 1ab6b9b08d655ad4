// The Simple Queue Service over the declared standard queues.
import { JsonService } from "../aws/json-service.ts";
import type { Queues } from "./queues.ts";
import { type SqsCall, sending } from "./sending.ts";

export class Sqs extends JsonService<SqsCall> {
  constructor(queues: Queues) {
    super({
      signingName: "sqs",
      title: "SQS",
      operations: sending,
      contextOf: (_, { region, principal }) => ({ region, queues, senderId: principal?.sessionName ?? "" }),
    });
  }
}
