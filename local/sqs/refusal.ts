// Errors of the emulated SQS. Besides their name they carry the code that clients of the older query protocol know them by.
import { AwsError } from "../aws/service.ts";

/** By name: the older code, if it is another, and the status if it is not 400 (the service's Smithy model, `awsQueryError`). */
const older: Record<string, [code: string, status?: number]> = {
  BatchEntryIdsNotDistinct: ["AWS.SimpleQueueService.BatchEntryIdsNotDistinct"],
  BatchRequestTooLong: ["AWS.SimpleQueueService.BatchRequestTooLong"],
  EmptyBatchRequest: ["AWS.SimpleQueueService.EmptyBatchRequest"],
  InvalidBatchEntryId: ["AWS.SimpleQueueService.InvalidBatchEntryId"],
  InvalidParameterValueException: ["InvalidParameterValue"],
  MessageNotInflight: ["AWS.SimpleQueueService.MessageNotInflight"],
  PurgeQueueInProgress: ["AWS.SimpleQueueService.PurgeQueueInProgress", 403],
  QueueDoesNotExist: ["AWS.SimpleQueueService.NonExistentQueue"],
  ReceiptHandleIsInvalid: ["ReceiptHandleIsInvalid", 404],
  ResourceNotFoundException: ["ResourceNotFoundException", 404],
  TooManyEntriesInBatchRequest: ["AWS.SimpleQueueService.TooManyEntriesInBatchRequest"],
  UnsupportedOperation: ["AWS.SimpleQueueService.UnsupportedOperation"],
};

export function refusal(name: string, message: string): AwsError {
  return new AwsError(name, message, older[name]?.[1] ?? 400);
}

export function invalidParameter(message: string): AwsError {
  return refusal("InvalidParameterValueException", message);
}

/** The code in the older protocol, which the header `x-amzn-query-error` repeats. */
export function queryCodeOf({ code }: AwsError): string {
  return older[code]?.[0] ?? code;
}
