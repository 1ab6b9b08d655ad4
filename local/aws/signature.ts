// Signature Version 4 as a server reads it: the claim of a request, and whether the secret of its access key backs the claim.
import { createHmac, hash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { Sha256 } from "@smithy/core/checksum";
import {
  ALGORITHM_IDENTIFIER,
  createScope,
  getCanonicalHeaders,
  SignatureV4,
  UNSIGNED_PAYLOAD,
} from "@smithy/signature-v4";
import type { HttpRequest } from "@smithy/types";
import { authError } from "./common-errors.ts";
import type { Credential, Credentials } from "./credentials.ts";
import { AwsError, type AwsRequest } from "./service.ts";

export type Claim = {
  accessKeyId: string;
  /** `YYYYMMDD` */
  date: string;
  region: string;
  service: string;
  signedHeaders: string[];
  signature: string;
  /** `YYYYMMDDTHHMMSSZ` */
  signedAt: string;
  sessionToken: string | undefined;
};

/**
 * Reads the Authorization header without verifying it. An unsigned request has none. Presigned URLs are not emulated.
 * @throws AwsError for a signature that cannot be read.
 */
export function claimOf(headers: IncomingHttpHeaders): Claim | undefined {
  const { authorization } = headers;
  if (authorization === undefined) return undefined;
  const match = headerPattern.exec(authorization);
  if (!match) throw unreadable(`Authorization header "${authorization.slice(0, 40)}..."`);
  const [, credential = "", signedHeaders = "", signature = ""] = match;
  return {
    ...scopeOf(credential),
    signedHeaders: signedHeaders.split(";"),
    signature,
    signedAt: String(headers["x-amz-date"] ?? ""),
    sessionToken: headers["x-amz-security-token"] as string | undefined,
  };
}

/**
 * Finds whose request this is. The signature is computed anew from the secret and the request.
 * @throws AwsError for unknown or expired keys, a wrong signature, or a body other than the signed one.
 */
export function authenticate(
  request: Omit<AwsRequest, "principal">,
  claim: Claim,
  { credentials, now }: { credentials: Credentials; now: number },
): Credential {
  const refuse = (problem: Parameters<typeof authError>[0]) => authError(problem, claim.service, request);
  const credential = credentials.find(claim.accessKeyId);
  if (!credential || claim.sessionToken !== credential.sessionToken) throw refuse("unknown key");
  if (!isBacked(request, claim, credential)) throw refuse("bad signature");
  if (credential.expiresAt !== undefined && now >= credential.expiresAt) throw refuse("expired");
  return credential;
}

const headerPattern = /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;

function scopeOf(credential: string): Pick<Claim, "accessKeyId" | "date" | "region" | "service"> {
  const [accessKeyId, date, region, service, terminator] = credential.split("/");
  if (!accessKeyId || !date || !region || !service || terminator !== "aws4_request") {
    throw unreadable(`credential scope "${credential}"`);
  }
  return { accessKeyId, date, region, service };
}

function unreadable(what: string): AwsError {
  return new AwsError("IncompleteSignature", `The local stack cannot read the ${what}`, 400);
}

/** The age of a signature is not checked: replays do not matter here, and a test may advance the clock for one side first. */
function isBacked(request: Omit<AwsRequest, "principal">, claim: Claim, credential: Credential): boolean {
  const payloadHash = payloadHashOf(request);
  if (payloadHash === undefined || !/^\d{8}T\d{6}Z$/.test(claim.signedAt)) return false;
  const stringToSign = [
    ALGORITHM_IDENTIFIER,
    claim.signedAt,
    createScope(claim.date, claim.region, claim.service),
    hash("sha256", canonicalForm.requestOf(request, claim, payloadHash)),
  ].join("\n");
  const expected = hmac(signingKey(credential, claim), stringToSign);
  const given = Buffer.from(claim.signature, "hex");
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** The hash that the signature covers, or undefined if it is not the body's. */
function payloadHashOf({ headers, body }: Omit<AwsRequest, "principal">): string | undefined {
  const declared = headers["x-amz-content-sha256"];
  if (declared === UNSIGNED_PAYLOAD) return UNSIGNED_PAYLOAD;
  const actual = hash("sha256", body);
  return declared === undefined || declared === actual ? actual : undefined;
}

/** Smithy's signer, opened at the step where a server joins in: the request with the headers that the client signed. */
class CanonicalForm extends SignatureV4 {
  constructor() {
    super({ region: "", service: "", credentials: { accessKeyId: "", secretAccessKey: "" }, sha256: Sha256 });
  }

  requestOf(
    { method, path, query, headers }: Omit<AwsRequest, "principal">,
    claim: Claim,
    payloadHash: string,
  ): string {
    const signed: Record<string, string> = {};
    for (const name of claim.signedHeaders) signed[name] = String(headers[name] ?? "");
    const request = { method, path, query: queryBag(query), headers: signed } as HttpRequest;
    return this.createCanonicalRequest(
      request,
      getCanonicalHeaders(request, undefined, new Set(claim.signedHeaders)),
      payloadHash,
    );
  }
}

const canonicalForm = new CanonicalForm();

function queryBag(query: URLSearchParams): Record<string, string[]> {
  return Object.fromEntries([...query.keys()].map((name) => [name, query.getAll(name)]));
}

/** The signing keys by scope. A key is derived once a day for each credential, region and service. */
const signingKeys = new WeakMap<Credential, Map<string, Buffer>>();

function signingKey(credential: Credential, { date, region, service }: Claim): Buffer {
  const known = signingKeys.get(credential) ?? new Map<string, Buffer>();
  signingKeys.set(credential, known);
  const scope = createScope(date, region, service);
  let key = known.get(scope);
  if (!key) {
    key = scope.split("/").reduce(hmac, Buffer.from(`AWS4${credential.secretAccessKey}`));
    known.set(scope, key);
  }
  return key;
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
