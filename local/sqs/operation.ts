// How an operation of the emulated SQS is written: its input, the rights it needs, its effect.
import * as z from "zod";
import { accountId } from "../aws/account.ts";
import { type Authorization, AwsError } from "../aws/service.ts";
import type { Queue } from "./queue.ts";
import { type Queues, queueNameIn } from "./queues.ts";
import { invalidParameter, queryCodeOf, refusal } from "./refusal.ts";

/** Where a call runs. */
export type Place = { region: string; queues: Queues; senderId: string };

export type SqsOperation = {
  rights(body: unknown, place: Place): Authorization[];
  /** The answer's members, or nothing. */
  run(body: unknown, place: Place): unknown;
};

/** An operation over whatever its input names. */
export function operation<Input extends z.ZodType>(
  input: Input,
  rights: (input: z.output<Input>, place: Place) => Authorization[],
  run: (input: z.output<Input>, place: Place) => unknown,
): SqsOperation {
  return {
    rights: (body, place) => rights(parsed(input, body), place),
    run: (body, place) => run(parsed(input, body), place),
  };
}

/**
 * An operation on the queue that `QueueUrl` names.
 * @param action what it needs on that queue; one on a batch needs the same as one on a single message.
 */
export function onQueue<Shape extends z.ZodRawShape>(
  action: string,
  shape: Shape,
  run: (queue: Queue, input: z.output<z.ZodObject<Shape>>, place: Place) => unknown,
): SqsOperation {
  const rest = z.strictObject(shape);
  const named = (body: unknown) => {
    const { QueueUrl, ...others } = parsed(z.looseObject({ QueueUrl: z.string().min(1) }), body);
    return { QueueUrl, input: parsed(rest, others) };
  };
  return {
    rights: (body, { region }) => [rightOn(`sqs:${action}`, queueArn(region, queueNameIn(named(body).QueueUrl)))],
    run: (body, place) => {
      const { QueueUrl, input } = named(body);
      return run(place.queues.byUrl(QueueUrl), input, place);
    },
  };
}

export function rightOn(action: string, resource: string): Authorization {
  return { action, resource };
}

export function queueArn(region: string, name: string): string {
  return `arn:aws:sqs:${region}:${accountId}:${name}`;
}

/** @throws AwsError for a number outside of its range. */
export function checkRange(name: string, value: number | undefined, low: number, high: number): void {
  if (value === undefined || (value >= low && value <= high)) return;
  throw invalidParameter(
    `Value ${value} for parameter ${name} is invalid. Reason: Must be between ${low} and ${high}, if provided.`,
  );
}

const maxEntries = 10;

/**
 * Does for each entry of a batch what can be done, and says what became of it.
 * @throws AwsError if the batch as a whole is none.
 */
export function eachEntry<Entry extends { Id: string }>(entries: Entry[], act: (entry: Entry) => object) {
  if (entries.length === 0) throw refusal("EmptyBatchRequest", "There should be at least one entry in the request.");
  if (entries.length > maxEntries) {
    const message = `Maximum number of entries per request are ${maxEntries}. You have sent ${entries.length}.`;
    throw refusal("TooManyEntriesInBatchRequest", message);
  }
  const ids = new Set(entries.map(({ Id }) => Id));
  if (ids.size < entries.length)
    throw refusal("BatchEntryIdsNotDistinct", "Id of entries in a batch must be distinct.");
  if ([...ids].some((id) => !/^[\w-]{1,80}$/.test(id))) {
    const message =
      "A batch entry id can only contain alphanumeric characters, hyphens and underscores. It can be at most 80 letters long.";
    throw refusal("InvalidBatchEntryId", message);
  }
  const outcomes = entries.map((entry) => outcomeOf(entry, act));
  return {
    Successful: outcomes.filter((outcome) => !("Code" in outcome)),
    Failed: outcomes.filter((outcome) => "Code" in outcome),
  };
}

function outcomeOf<Entry extends { Id: string }>(entry: Entry, act: (entry: Entry) => object): object {
  try {
    return { Id: entry.Id, ...act(entry) };
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    return { Id: entry.Id, SenderFault: true, Code: queryCodeOf(error), Message: error.message };
  }
}

function parsed<Input extends z.ZodType>(input: Input, body: unknown): z.output<Input> {
  const result = input.safeParse(body, { reportInput: true });
  if (result.success) return result.data;
  const [issue] = result.error.issues as [z.core.$ZodIssue];
  if (issue.code === "unrecognized_keys") {
    throw refusal("UnsupportedOperation", `The local stack does not carry out ${issue.keys.join(", ")}`);
  }
  const path = issue.path.join(".");
  if (issue.input === undefined) {
    throw refusal("MissingParameter", `The request must contain the parameter ${path}.`);
  }
  throw invalidParameter(`Value for parameter ${path} is invalid. Reason: ${issue.message}.`);
}
