// The AWS endpoint with whatever services and roles a test names, and clients that sign as one of the roles.
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { STSClient } from "@aws-sdk/client-sts";
import { Sha256 } from "@smithy/core/checksum";
import { SignatureV4 } from "@smithy/signature-v4";
import { type Call, Calls } from "../../aws/calls.ts";
import { Credentials, type Keys } from "../../aws/credentials.ts";
import { AwsEndpoint } from "../../aws/endpoint.ts";
import { Faults } from "../../aws/faults.ts";
import type { AwsService, Principal } from "../../aws/service.ts";
import { Clock } from "../../clock.ts";
import { Iam, type ResourcePolicyOf } from "../../iam/iam.ts";
import type { Resources } from "../../pulumi/resources.ts";

export const region = "eu-central-1";

type Parts = { iam: Iam; credentials: Credentials; clock: Clock; calls: Calls; faults: Faults };

type Options = {
  resources: Resources;
  services: (parts: Parts) => AwsService[];
  policyOf?: ResourcePolicyOf;
  onCall?: (call: Readonly<Call>) => void;
};

/** Starts an endpoint; `close` it in the end. */
export async function startEndpoint({ resources, services, policyOf, onCall }: Options) {
  const iam = new Iam(resources, policyOf);
  const parts: Parts = {
    iam,
    credentials: new Credentials(),
    clock: new Clock(),
    calls: new Calls(),
    faults: new Faults(),
  };
  const endpoint = new AwsEndpoint({ ...parts, services: services(parts), ...(onCall && { onCall }) });
  const url = await endpoint.listen();
  return {
    ...parts,
    url,
    close: () => endpoint.close(),
    keysOf: (principal: Principal) => parts.credentials.issue(principal),
  };
}

export type RunningEndpoint = Awaited<ReturnType<typeof startEndpoint>>;

/** The options of a real SDK client that calls the endpoint. */
export function clientOptions(url: string, keys: Keys) {
  return { endpoint: url, region, credentials: keys, maxAttempts: 1 };
}

export function dynamoDbClient(url: string, keys: Keys): DynamoDBClient {
  return new DynamoDBClient(clientOptions(url, keys));
}

export function stsClient(url: string, keys: Keys): STSClient {
  return new STSClient(clientOptions(url, keys));
}

type JsonCall = { service: string; target: string; body: unknown };

/** A call in one of the AWS JSON protocols, for services whose client is not installed. */
export async function signedCall(url: string, keys: Keys, call: JsonCall) {
  const { headers, body } = await signedRequest(url, keys, call);
  const response = await fetch(url, { method: "POST", headers, body });
  const answer = await response.text();
  return { status: response.status, body: (answer === "" ? {} : JSON.parse(answer)) as Record<string, unknown> };
}

/** The headers and the body of such a call. */
export async function signedRequest(url: string, keys: Keys, { service, target, body }: JsonCall) {
  const { hostname, port, host } = new URL(url);
  const text = JSON.stringify(body);
  const signer = new SignatureV4({ service, region, credentials: keys, sha256: Sha256 });
  const signed = await signer.sign({
    method: "POST",
    protocol: "http:",
    hostname,
    port: Number(port),
    path: "/",
    headers: { host, "content-type": "application/x-amz-json-1.1", "x-amz-target": target },
    body: text,
  });
  // The host is the client's to send, and it sends the same.
  const { host: _host, ...headers } = signed.headers;
  return { headers, body: text };
}
