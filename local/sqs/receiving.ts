// The operations of the emulated SQS that receive messages, delete them and change how long they stay hidden.
import * as z from "zod";
import { type Message, type MessageAttributes, md5, md5OfAttributes, systemAttributesOf } from "./message.ts";
import { checkRange, eachEntry, onQueue, type SqsOperation } from "./operation.ts";
import { type Queue, receiptHandleOf } from "./queue.ts";

const names = z.array(z.string()).default([]);
const receipt = { ReceiptHandle: z.string() };
const visibility = { ...receipt, VisibilityTimeout: z.int() };
const entriesOf = <Shape extends z.ZodRawShape>(shape: Shape) => ({
  Entries: z.array(z.strictObject({ Id: z.string(), ...shape })),
});

export const receiving: Record<string, SqsOperation> = {
  ReceiveMessage: onQueue(
    "ReceiveMessage",
    {
      MaxNumberOfMessages: z.int().default(1),
      VisibilityTimeout: z.int().optional(),
      WaitTimeSeconds: z.int().optional(),
      // The older name of the list after it.
      AttributeNames: names,
      MessageSystemAttributeNames: names,
      MessageAttributeNames: names,
    },
    async (queue, input) => {
      checkRange("MaxNumberOfMessages", input.MaxNumberOfMessages, 1, 10);
      checkRange("VisibilityTimeout", input.VisibilityTimeout, 0, 43_200);
      checkRange("WaitTimeSeconds", input.WaitTimeSeconds, 0, 20);
      const messages = await queue.receive({
        max: input.MaxNumberOfMessages,
        visibilitySeconds: input.VisibilityTimeout,
        waitMs: (input.WaitTimeSeconds ?? queue.settings.receiveWaitSeconds) * 1000,
      });
      const system = [...input.AttributeNames, ...input.MessageSystemAttributeNames];
      const received = messages.map((message) => shown(message, queue, system, input.MessageAttributeNames));
      return received.length > 0 ? { Messages: received } : {};
    },
  ),

  DeleteMessage: onQueue("DeleteMessage", receipt, (queue, { ReceiptHandle }) => queue.delete(ReceiptHandle)),

  DeleteMessageBatch: onQueue("DeleteMessage", entriesOf(receipt), (queue, { Entries }) =>
    eachEntry(Entries, ({ ReceiptHandle }) => {
      queue.delete(ReceiptHandle);
      return {};
    }),
  ),

  ChangeMessageVisibility: onQueue("ChangeMessageVisibility", visibility, changeVisibility),

  ChangeMessageVisibilityBatch: onQueue("ChangeMessageVisibility", entriesOf(visibility), (queue, { Entries }) =>
    eachEntry(Entries, (entry) => {
      changeVisibility(queue, entry);
      return {};
    }),
  ),
};

function changeVisibility(queue: Queue, input: { ReceiptHandle: string; VisibilityTimeout: number }): void {
  checkRange("VisibilityTimeout", input.VisibilityTimeout, 0, 43_200);
  queue.changeVisibility(input.ReceiptHandle, input.VisibilityTimeout);
}

/** Attributes are told to those alone who ask for them. */
function shown(message: Message, { settings }: Queue, system: string[], asked: string[]) {
  const wanted = Object.entries(systemAttributesOf(message)).filter(
    ([name]) => system.includes("All") || system.includes(name),
  );
  const attributes = matching(message.attributes, asked);
  const ofAttributes = md5OfAttributes(attributes);
  return {
    MessageId: message.id,
    ReceiptHandle: receiptHandleOf(message, settings),
    Body: message.body,
    MD5OfBody: md5(message.body),
    ...(wanted.length > 0 && { Attributes: Object.fromEntries(wanted) }),
    ...(ofAttributes && { MessageAttributes: attributes, MD5OfMessageAttributes: ofAttributes }),
  };
}

/** By name, by `prefix.*`, or all of them by `All` or `.*`. */
function matching(attributes: MessageAttributes, asked: string[]): MessageAttributes {
  const matches = (name: string) =>
    asked.some((one) => one === "All" || one === name || (one.endsWith(".*") && name.startsWith(one.slice(0, -2))));
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => matches(name)));
}
