// An error as the SDK makes it of what DynamoDB refuses.
import { DynamoDBServiceException } from "@aws-sdk/client-dynamodb";

export class ServiceError extends DynamoDBServiceException {
  /** It depends on the item: in a transaction it is one item's reason. */
  readonly isOfItem: boolean;

  constructor(name: string, message: string, isOfItem = false) {
    super({ name, message, $fault: "client", $metadata: { httpStatusCode: 400 } });
    this.isOfItem = isOfItem;
  }
}
