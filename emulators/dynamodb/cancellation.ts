// The words in which DynamoDB cancels a transaction, with a reason for each of its items.
import { AwsError } from "../aws/service.ts";

export type Reason = { Code: string; Message?: string; Item?: unknown };

export const conflict = { Code: "TransactionConflict", Message: "Transaction is ongoing for the item" };

export function cancelled(reasons: Reason[]): AwsError {
  const codes = reasons.map((reason) => reason.Code).join(", ");
  const message = `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`;
  return new AwsError("TransactionCanceledException", message, 400, { CancellationReasons: reasons });
}
