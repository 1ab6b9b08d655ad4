// A document client of a local DynamoDB in the same process: the same checks, answers and errors as over HTTP, without connections,
// signatures and the SDK's serialization, which cost more than the store itself.
import { randomUUID } from "node:crypto";
import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  DynamoDBServiceException,
  TransactionCanceledException,
} from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { constructStack } from "@smithy/core/client";
import type { AwsAnswer } from "../../../adapters/aws.ts";
import { throttles } from "../../../adapters/dynamodb/client.ts";
import type { StoreService } from "../../../adapters/dynamodb/hot-path-client.ts";
import { AwsError } from "../../../emulators/aws/service.ts";

type Document = Record<string, unknown>;
/** Carries out an operation in DynamoDB's JSON. @throws AwsError */
export type Call = (operation: string, body: string) => Promise<Document>;
type Command = { input: Document; clientCommand: object };

/** The constructor of a document client wants one; it never sends anything. */
const unused = new DynamoDBClient({
  region: "eu-central-1",
  credentials: { accessKeyId: "none", secretAccessKey: "none" },
});

class InProcessClient extends DynamoDBDocumentClient {
  constructor(call: Call, maxAttempts: number) {
    super(unused);
    const middlewareStack = constructStack<object, object>();
    const send = (command: Command) => {
      const commandName = command.clientCommand.constructor.name;
      const handler = async () => {
        const output = await answerOf(call, commandName.replace(/Command$/, ""), command.input, maxAttempts);
        return { output, response: undefined };
      };
      const context = { commandName, clientName: "DynamoDBDocumentClient" };
      return middlewareStack
        .resolve(
          handler as never,
          context,
        )({ input: command.input })
        .then(({ output }) => output);
    };
    Object.assign(this, { middlewareStack, send });
  }
}

/** @param maxAttempts of a call that the store fails or throttles; they follow each other at once. */
export function inProcessClient(call: Call, maxAttempts = 1): DynamoDBDocumentClient {
  return new InProcessClient(call, maxAttempts);
}

/** The service behind the hot path's client, in the place of signed HTTP. */
export function storeServiceOf(call: Call): StoreService {
  return async (operation, body) => {
    const { status, text } = await call(operation, body).then(
      (document) => ({ status: 200, text: JSON.stringify(document) }),
      (error) => {
        const { code, message, status, members } = refusalOf(error);
        return { status, text: JSON.stringify({ __type: code, message, ...members }) };
      },
    );
    const answer: Pick<AwsAnswer, "status" | "text"> = { status, text: async () => text };
    return answer as AwsAnswer;
  };
}

async function answerOf(call: Call, operation: string, input: Document, maxAttempts: number): Promise<Document> {
  // The SDK gives each transaction a token, too, by which the store recognises one that is sent again.
  const token = operation === "TransactWriteItems" && { ClientRequestToken: randomUUID() };
  const body = JSON.stringify(marshalled({ ...token, ...input }));
  for (let attempt = 1; ; attempt++) {
    try {
      return unmarshalled(await call(operation, body));
    } catch (error) {
      const failure = failureOf(error);
      if (attempt >= maxAttempts || !isTransient(failure)) throw failure;
    }
  }
}

function isTransient({ $fault, name }: DynamoDBServiceException): boolean {
  return $fault === "server" || throttles.includes(name);
}

const documents = new Set(["Key", "Item", "ExpressionAttributeValues", "ExclusiveStartKey"]);

/** The input with each of its documents in DynamoDB's JSON, at whatever depth a batch or a transaction has it. */
function marshalled(value: unknown, name = ""): unknown {
  if (Array.isArray(value)) return value.map((each) => marshalled(each, name === "Keys" ? "Key" : ""));
  if (typeof value !== "object" || value === null) return value;
  if (documents.has(name)) return marshall(value, { removeUndefinedValues: true });
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, marshalled(each, key)]));
}

function unmarshalled({ Item, Attributes, LastEvaluatedKey, Items, Responses, ...rest }: Document): Document {
  const one = (name: string, document: unknown) => (document ? { [name]: unmarshall(document as never) } : {});
  const many = (list: unknown) => (list as never[]).map((each) => unmarshall(each));
  return {
    ...rest,
    ...one("Item", Item),
    ...one("Attributes", Attributes),
    ...one("LastEvaluatedKey", LastEvaluatedKey),
    ...(Items !== undefined && { Items: many(Items) }),
    ...(Responses !== undefined && {
      Responses: Object.fromEntries(Object.entries(Responses as Document).map(([table, list]) => [table, many(list)])),
    }),
  };
}

function failureOf(error: unknown): DynamoDBServiceException {
  const { code, message, status, members } = refusalOf(error);
  const $metadata = { httpStatusCode: status };
  if (code === "ConditionalCheckFailedException") {
    return new ConditionalCheckFailedException({ message, $metadata, ...members });
  }
  if (code === "TransactionCanceledException") {
    return new TransactionCanceledException({ message, $metadata, ...members });
  }
  return new DynamoDBServiceException({ name: code, message, $metadata, $fault: status >= 500 ? "server" : "client" });
}

function refusalOf(error: unknown): AwsError {
  return error instanceof AwsError ? error : new AwsError("InternalServerError", String(error), 500);
}
