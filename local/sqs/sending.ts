// The operations of the emulated SQS that send messages.
import * as z from "zod";
import { bytesOf, checkMessage, maxMessageBytes, md5, md5OfAttributes, messageAttributes } from "./message.ts";
import { checkRange, eachEntry, onQueue, type Place, type SqsOperation } from "./operation.ts";
import type { Queue } from "./queue.ts";
import { refusal } from "./refusal.ts";

const message = {
  MessageBody: z.string(),
  DelaySeconds: z.int().optional(),
  MessageAttributes: messageAttributes,
};
type MessageInput = z.output<z.ZodObject<typeof message>>;

export const sending: Record<string, SqsOperation> = {
  SendMessage: onQueue("SendMessage", message, (queue, input, place) => sent(queue, input, place)),

  SendMessageBatch: onQueue(
    "SendMessage",
    { Entries: z.array(z.strictObject({ Id: z.string(), ...message })) },
    (queue, { Entries }, place) => {
      const bytes = Entries.reduce((sum, entry) => sum + bytesOf(entry.MessageBody, entry.MessageAttributes), 0);
      if (bytes > maxMessageBytes) {
        const text = `Batch requests cannot be longer than ${maxMessageBytes} bytes. You have sent ${bytes} bytes.`;
        throw refusal("BatchRequestTooLong", text);
      }
      return eachEntry(Entries, (entry) => sent(queue, entry, place));
    },
  ),
};

function sent(queue: Queue, { MessageBody, DelaySeconds, MessageAttributes }: MessageInput, { senderId }: Place) {
  checkMessage(MessageBody, MessageAttributes, queue.settings.maxMessageBytes);
  checkRange("DelaySeconds", DelaySeconds, 0, 900);
  const { id } = queue.send({
    body: MessageBody,
    attributes: MessageAttributes,
    senderId,
    delaySeconds: DelaySeconds,
  });
  const ofAttributes = md5OfAttributes(MessageAttributes);
  return {
    MessageId: id,
    MD5OfMessageBody: md5(MessageBody),
    ...(ofAttributes && { MD5OfMessageAttributes: ofAttributes }),
  };
}
