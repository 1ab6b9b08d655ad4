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
  /** How long a presigned address holds; undefined for a signature in the header. */
  expiresSeconds?: number;
};

/**
 * Reads the Authorization header, or the query of a presigned address, without verifying it. An unsigned request has neither.
 * @throws AwsError for a signature that cannot be read.
 */
export function claimOf(headers: IncomingHttpHeaders, query = new URLSearchParams()): Claim | undefined {
  const { authorization } = headers;
  if (authorization === undefined) return query.has("X-Amz-Signature") ? presignedClaim(query) : undefined;
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

/** docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html */
function presignedClaim(query: URLSearchParams): Claim {
  const get = (name: string) => query.get(`X-Amz-${name}`) ?? "";
  const expiresSeconds = Number(get("Expires"));
  if (!(expiresSeconds >= 1 && expiresSeconds <= 604_800)) throw unreadable("X-Amz-Expires");
  return {
    ...scopeOf(get("Credential")),
    signedHeaders: get("SignedHeaders").split(";"),
    signature: get("Signature"),
    signedAt: get("Date"),
    sessionToken: query.get("X-Amz-Security-Token") ?? undefined,
    expiresSeconds,
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
  const { expiresSeconds } = claim;
  if (expiresSeconds !== undefined && now >= signedMs(claim) + expiresSeconds * 1000) {
    throw new AwsError("AccessDenied", "Request has expired", 403);
  }
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

function signedMs({ signedAt }: Claim): number {
  return Date.parse(signedAt.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
}

function unreadable(what: string): AwsError {
  return new AwsError("IncompleteSignature", `The local stack cannot read the ${what}`, 400);
}

/** The age of a signature is not checked: replays do not matter here, and a test may advance the clock for one side first. */
function isBacked(request: Omit<AwsRequest, "principal">, claim: Claim, credential: Credential): boolean {
  const payloadHash = claim.expiresSeconds === undefined ? payloadHashOf(request) : UNSIGNED_PAYLOAD;
  if (payloadHash === undefined || !/^\d{8}T\d{6}Z$/.test(claim.signedAt)) return false;
  const stringToSign = [
    ALGORITHM_IDENTIFIER,
    claim.signedAt,
    createScope(claim.date, claim.region, claim.service),
    hash("sha256", (claim.service === "s3" ? s3Form : canonicalForm).requestOf(request, claim, payloadHash)),
  ].join("\n");
  const expected = hmac(signingKey(credential, claim), stringToSign);
  const given = Buffer.from(claim.signature, "hex");
  return given.length === expected.length && timingSafeEqual(given, expected);
}

const unsignedChunks = "STREAMING-UNSIGNED-PAYLOAD-TRAILER";

/** The hash that the signature covers, or undefined if it is not the body's. */
function payloadHashOf({ headers, body }: Omit<AwsRequest, "principal">): string | undefined {
  const declared = headers["x-amz-content-sha256"];
  // A body in chunks with a checksum at its end is not signed itself.
  if (declared === UNSIGNED_PAYLOAD || declared === unsignedChunks) return declared;
  const actual = hash("sha256", body);
  return declared === undefined || declared === actual ? actual : undefined;
}

/** Smithy's signer, opened at the step where a server joins in: the request with the headers that the client signed. */
class CanonicalForm extends SignatureV4 {
  constructor(uriEscapePath = true) {
    const credentials = { accessKeyId: "", secretAccessKey: "" };
    super({ region: "", service: "", credentials, sha256: Sha256, uriEscapePath });
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
/** S3 alone encodes a path once (docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html). */
const s3Form = new CanonicalForm(false);

function queryBag(query: URLSearchParams): Record<string, string[]> {
  const names = [...query.keys()].filter((name) => name !== "X-Amz-Signature");
  return Object.fromEntries(names.map((name) => [name, query.getAll(name)]));
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
