// A DynamoDB that keeps nothing but a count of what it carried out: enough to see what the endpoint lets through.
import type { Readable } from "node:stream";
import {
  type Authorization,
  AwsError,
  type AwsRequest,
  type AwsResponse,
  type AwsService,
  jsonAnswer,
  jsonFailure,
  targetOperation,
} from "../../aws/service.ts";

export const tableArn = (name: string) => `arn:aws:dynamodb:eu-central-1:000000000000:table/${name}`;

type Body = { TableName?: string; TransactItems?: Record<string, { TableName: string }>[] };

export class CountingDynamoDb implements AwsService {
  readonly signingName = "dynamodb";
  /** The operations that were carried out. */
  readonly effects: string[] = [];
  /** The body of DescribeTable's answer, instead of its JSON. */
  stream: Readable | undefined;

  operation(request: AwsRequest): string {
    const operation = targetOperation(request);
    const known = ["GetItem", "PutItem", "TransactWriteItems", "DescribeTable", "ListTables", "DeleteTable"];
    if (known.includes(operation)) return operation;
    throw new AwsError("UnknownOperationException", `no operation ${operation}`);
  }

  authorizations(operation: string, { body }: AwsRequest): Authorization[] {
    const { TableName = "", TransactItems } = JSON.parse(body.toString()) as Body;
    if (operation === "ListTables") return [];
    const right = (action: string, table: string) => ({ action: `dynamodb:${action}`, resource: tableArn(table) });
    if (!TransactItems) return [right(operation, TableName)];
    return TransactItems.flatMap(Object.entries).map(([kind, item]) => right(`${kind}Item`, item.TableName));
  }

  async handle(operation: string, request: AwsRequest): Promise<AwsResponse> {
    this.effects.push(operation);
    if (operation === "DeleteTable") throw new Error("a fault in the emulator");
    const answer = jsonAnswer(
      operation === "ListTables" ? { TableNames: [String(request.principal?.sessionName)] } : {},
      "1.0",
    );
    return this.stream ? { ...answer, body: this.stream } : answer;
  }

  failure(error: AwsError): AwsResponse {
    return jsonFailure(error, "1.0");
  }
}
