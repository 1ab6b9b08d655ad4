// Signed HTTP to AWS for the calls of the hot path: AWS's own signer over Node's own connections. The SDK's clients cost the
// proxy more than all of its rules (docs/decisions/0006).
import { createHash, createHmac, createSecretKey, type Hash, type Hmac, type KeyObject } from "node:crypto";
import http from "node:http";
import https from "node:https";
import { SignatureV4 } from "@smithy/signature-v4";
import type { AwsCredentialIdentity, Checksum, HttpRequest, SourceData } from "@smithy/types";

/** Where AWS is for this function: what the Lambda runtime itself says. */
export type AwsRuntime = {
  region: string;
  /** Keys of the function's role; they are renewed with the instance. */
  credentials: AwsCredentialIdentity;
  /** One address for all services instead of AWS's own, as AWS_ENDPOINT_URL says to the SDKs. */
  endpoint: string | undefined;
};

type ServiceOptions = {
  /** As in the signature's scope, e.g. `dynamodb`. */
  service: string;
  /** The host's first label, e.g. `bedrock-runtime`. */
  hostPrefix: string;
  region: string;
  endpoint: string | undefined;
};

export type AwsCall = {
  path: string;
  headers: Record<string, string>;
  body: string;
  credentials: AwsCredentialIdentity;
  signal?: AbortSignal;
  /** For the beginning of the answer. */
  timeoutMilliseconds: number;
};

export type SignedService = (call: AwsCall) => Promise<http.IncomingMessage>;

/** Connections that outlive many requests of this are closed by the store's end anyway; these many are enough for one instance. */
const maxSockets = 256;

/**
 * An unused connection is given up after this. The other end may have closed it while the function was frozen, and a call
 * that breaks off on it would be one of which nobody knows whether it took effect.
 */
const idleMilliseconds = 30_000;

const agents = {
  http: new http.Agent({ keepAlive: true, maxSockets, timeout: idleMilliseconds }),
  https: new https.Agent({ keepAlive: true, maxSockets, timeout: idleMilliseconds }),
};

/** Resolves with the answer's head; the body is the caller's to read. */
export function signedService({ service, hostPrefix, region, endpoint }: ServiceOptions): SignedService {
  const url = new URL(endpoint ?? `https://${hostPrefix}.${region}.amazonaws.com`);
  const secure = url.protocol === "https:";
  const signers = new WeakMap<AwsCredentialIdentity, SignatureV4>();
  // S3 alone escapes paths once; everyone else wants them escaped twice in the signature.
  const signerOf = (credentials: AwsCredentialIdentity) => {
    const known = signers.get(credentials);
    if (known) return known;
    const signer = new SignatureV4({ service, region, credentials, sha256: Sha256, applyChecksum: false });
    signers.set(credentials, signer);
    return signer;
  };

  return async ({ path, headers, body, credentials, signal, timeoutMilliseconds }) => {
    const request: HttpRequest = {
      method: "POST",
      protocol: url.protocol,
      hostname: url.hostname,
      ...(url.port && { port: Number(url.port) }),
      path,
      query: {},
      headers: { ...headers, host: url.host },
      body,
    };
    const signed = await signerOf(credentials).sign(request);
    const options = {
      agent: secure ? agents.https : agents.http,
      method: "POST",
      hostname: url.hostname,
      ...(url.port && { port: url.port }),
      path,
      headers: { ...signed.headers, "content-length": String(Buffer.byteLength(body)) },
      ...(signal && { signal }),
      timeout: timeoutMilliseconds,
    };
    return new Promise((resolve, reject) => {
      const sent = (secure ? https : http).request(options, resolve);
      sent.once("timeout", () => sent.destroy(new TimeoutError()));
      sent.once("error", reject);
      sent.end(body);
    });
  };
}

/** Nothing was heard of the service in time. */
export class TimeoutError extends Error {
  override name = "TimeoutError";

  constructor() {
    super("AWS did not answer in time");
  }
}

/** The whole body as text. */
export async function textOf(answer: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/** Node's SHA-256 as the signer wants it. */
class Sha256 implements Checksum {
  #hash: Hash | Hmac;
  readonly #secret: SourceData | undefined;

  constructor(secret?: SourceData) {
    this.#secret = secret;
    this.#hash = this.#begin();
  }

  update(data: Uint8Array): void {
    this.#hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    this.#hash = this.#begin();
  }

  #begin(): Hash | Hmac {
    if (this.#secret === undefined) return createHash("sha256");
    return createHmac("sha256", typeof this.#secret === "string" ? this.#secret : keyOf(this.#secret));
  }
}

/** The signer keeps its derived keys, and Node takes a key object five times as fast as its bytes. */
const keyObjects = new WeakMap<object, KeyObject>();

function keyOf(secret: Exclude<SourceData, string>): KeyObject {
  const known = keyObjects.get(secret);
  if (known) return known;
  const key = createSecretKey(bytesOf(secret));
  keyObjects.set(secret, key);
  return key;
}

function bytesOf(data: Exclude<SourceData, string>): Uint8Array {
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}
