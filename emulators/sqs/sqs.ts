// The Simple Queue Service over the declared standard queues. Its operations send messages, the only ones that a function calls: the
// poller of the local Lambda receives and deletes messages without them.
import * as z from "zod";
import { accountId } from "../aws/account.ts";
import { JsonService, jsonOperation } from "../aws/json-service.ts";
import { type Authorization, AwsError } from "../aws/service.ts";
import { checkBody, invalidParameter, type Lineage, maxMessageBytes, md5 } from "./message.ts";
import type { Queue } from "./queue.ts";
import { type Queues, queueNameIn } from "./queues.ts";

type SqsCall = { region: string; queues: Queues; senderId: string; lineage: Lineage | undefined };

const message = { MessageBody: z.string(), DelaySeconds: z.int().optional() };
type MessageInput = z.output<z.ZodObject<typeof message>>;

const maxDelaySeconds = 900;
const maxEntries = 10;

const errorCode = "InvalidParameterValueException";
const queueUrl = { QueueUrl: z.string().min(1) };

const operations = {
  SendMessage: jsonOperation(
    errorCode,
    z.strictObject({ ...queueUrl, ...message }),
    rights,
    ({ QueueUrl, ...input }, call) => sent(call.queues.byUrl(QueueUrl), input, call),
  ),

  SendMessageBatch: jsonOperation(
    errorCode,
    z.strictObject({ ...queueUrl, Entries: z.array(z.strictObject({ Id: z.string(), ...message })) }),
    rights,
    ({ QueueUrl, Entries }, call) => {
      const queue = call.queues.byUrl(QueueUrl);
      checkEntries(Entries);
      const outcomes = Entries.map(({ Id, ...entry }) => outcomeOf(Id, () => sent(queue, entry, call)));
      return {
        Successful: outcomes.filter((outcome) => !("Code" in outcome)),
        Failed: outcomes.filter((outcome) => "Code" in outcome),
      };
    },
  ),
};

export class Sqs extends JsonService<SqsCall> {
  /** @param lineageOf what led to the invocation of the instance that sends; on AWS the SDK passes it on in a header. */
  constructor(queues: Queues, lineageOf: (instanceId: string) => Lineage | undefined = () => undefined) {
    super({
      signingName: "sqs",
      title: "SQS",
      operations,
      contextOf(_, { region, principal }) {
        const senderId = principal?.sessionName ?? "";
        return { region, queues, senderId, lineage: lineageOf(senderId) };
      },
    });
  }
}

/** A batch needs the same right as a single message. */
function rights({ QueueUrl }: { QueueUrl: string }, { region }: SqsCall): Authorization[] {
  return [{ action: "sqs:SendMessage", resource: `arn:aws:sqs:${region}:${accountId}:${queueNameIn(QueueUrl)}` }];
}

function sent(queue: Queue, { MessageBody, DelaySeconds }: MessageInput, { senderId, lineage }: SqsCall) {
  checkBody(MessageBody, queue.settings.maxMessageBytes);
  if (DelaySeconds !== undefined && (DelaySeconds < 0 || DelaySeconds > maxDelaySeconds)) {
    throw invalidParameter(
      `Value ${DelaySeconds} for parameter DelaySeconds is invalid. Reason: Must be between 0 and ${maxDelaySeconds}, if provided.`,
    );
  }
  const { id } = queue.send({ body: MessageBody, senderId, lineage, delaySeconds: DelaySeconds });
  return { MessageId: id, MD5OfMessageBody: md5(MessageBody) };
}

/** @throws AwsError if the batch is refused as a whole. */
function checkEntries(entries: (MessageInput & { Id: string })[]): void {
  if (entries.length === 0) {
    throw new AwsError("EmptyBatchRequest", "There should be at least one entry in the request.");
  }
  if (entries.length > maxEntries) {
    const text = `Maximum number of entries per request are ${maxEntries}. You have sent ${entries.length}.`;
    throw new AwsError("TooManyEntriesInBatchRequest", text);
  }
  if (new Set(entries.map(({ Id }) => Id)).size < entries.length) {
    throw new AwsError("BatchEntryIdsNotDistinct", "Id of entries in a batch must be distinct.");
  }
  const bytes = entries.reduce((sum, { MessageBody }) => sum + Buffer.byteLength(MessageBody), 0);
  if (bytes > maxMessageBytes) {
    const text = `Batch requests cannot be longer than ${maxMessageBytes} bytes. You have sent ${bytes} bytes.`;
    throw new AwsError("BatchRequestTooLong", text);
  }
}

/** An entry of a batch that fails has the code of the older protocol, without `Exception`. */
function outcomeOf(Id: string, send: () => object): object {
  try {
    return { Id, ...send() };
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    return { Id, SenderFault: true, Code: error.code.replace(/Exception$/, ""), Message: error.message };
  }
}
