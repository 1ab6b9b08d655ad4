// The document client of the hot path. It sends single puts, updates and gets over plain signed HTTP and everything else through the
// SDK, with the same commands, answers and errors (docs/decisions/0006).
import { setTimeout as sleep } from "node:timers/promises";
import { ConditionalCheckFailedException, DynamoDBServiceException } from "@aws-sdk/client-dynamodb";
import { type DynamoDBDocumentClient, GetCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { type AwsAnswer, type AwsRuntime, signedService, UnsentError } from "../aws.ts";
import { throttles } from "./client.ts";

/** Attempts, including the first. If an attempt without an answer took effect, the condition of the repeated write fails. */
const attempts = 3;
const pauseMs = 25;
/** DynamoDB answers within tens of milliseconds, so a slower call is better repeated. */
const timeoutMs = 2_000;

type Document = Record<string, unknown>;
type Failure = { __type?: string; message?: string; Message?: string; Item?: Document };

const marshalled = ["Key", "Item", "ExpressionAttributeValues"];
const unmarshalled = ["Item", "Attributes"];

/** `once`: a call is repeated only if it is known to have had no effect. */
type Repeats = "always" | "once";

/** Sends the body of an operation, e.g. `UpdateItem`. */
export type StoreService = (operation: string, body: string) => Promise<AwsAnswer>;

/** The connections to DynamoDB, which several clients may share. */
export function storeService({ region, endpoint, credentials }: AwsRuntime): StoreService {
  const request = signedService({ service: "dynamodb", hostPrefix: "dynamodb", region, endpoint });
  return (operation, body) => {
    const headers = { "content-type": "application/x-amz-json-1.0", "x-amz-target": `DynamoDB_20120810.${operation}` };
    return request({ path: "/", headers, body, credentials, timeoutMs });
  };
}

export function hotPathClient(
  document: DynamoDBDocumentClient,
  service: StoreService,
  repeats: Repeats = "always",
): DynamoDBDocumentClient {
  const mayRepeat = repeats === "always" ? isTransient : hadNoEffect;

  async function attempt(operation: string, body: string): Promise<Document> {
    const answer = await service(operation, body);
    const text = await answer.text();
    if (answer.status === 200) return JSON.parse(text);
    throw failureOf(answer.status, text);
  }

  async function call(operation: string, input: Document): Promise<Document> {
    const body = JSON.stringify(written(input));
    for (let tried = 1; ; tried++) {
      try {
        return read(await attempt(operation, body));
      } catch (error) {
        if (tried === attempts || !mayRepeat(error)) throw asServiceError(error);
        await sleep(Math.random() * pauseMs * 2 ** tried);
      }
    }
  }

  const send = (command: { input: Document }) => {
    const operation = operationOf(command);
    return operation ? call(operation, command.input) : document.send(command as never);
  };
  return new Proxy(document, { get: (target, name) => (name === "send" ? send : Reflect.get(target, name, target)) });
}

function operationOf(command: object): string | undefined {
  if (command instanceof UpdateCommand) return "UpdateItem";
  if (command instanceof PutCommand) return "PutItem";
  if (command instanceof GetCommand) return "GetItem";
  return undefined;
}

function written(input: Document): Document {
  const output = { ...input };
  for (const name of marshalled) {
    if (output[name] !== undefined) output[name] = marshall(output[name], { removeUndefinedValues: true });
  }
  return output;
}

function read(output: Document): Document {
  for (const name of unmarshalled) if (output[name]) output[name] = unmarshall(output[name] as never);
  return output;
}

function failureOf(status: number, text: string): Error {
  const body = parsed(text);
  const name = (body.__type ?? "UnknownError").split("#").at(-1) ?? "";
  const message = body.message ?? body.Message ?? "";
  const $metadata = { httpStatusCode: status };
  if (name === "ConditionalCheckFailedException") {
    return new ConditionalCheckFailedException({ message, $metadata, ...(body.Item && { Item: body.Item as never }) });
  }
  return new DynamoDBServiceException({ name, message, $metadata, $fault: status >= 500 ? "server" : "client" });
}

function parsed(text: string): Failure {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** Turns an error of the connection into a service error, which the stores treat as an outage. */
function asServiceError(error: unknown): Error {
  if (error instanceof DynamoDBServiceException) return error;
  const { name, message } = error as Error;
  return new DynamoDBServiceException({ name, message, $metadata: {}, $fault: "server" });
}

/** Whether an error may pass by itself. Every error that is no service error is one of the connection. */
function isTransient(error: unknown): boolean {
  if (!(error instanceof DynamoDBServiceException)) return true;
  return error.$fault === "server" || throttles.includes(error.name);
}

/** Whether a call had no effect for certain: it was throttled, or never sent. */
function hadNoEffect(error: unknown): boolean {
  if (error instanceof DynamoDBServiceException) return throttles.includes(error.name);
  return error instanceof UnsentError;
}
