// Signature Version 4 as a server reads it: what a request claims, and whether its secret backs the claim.
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
  /** For a presigned URL: how many seconds it is valid. */
  expiresInSeconds?: number;
};

/**
 * What the Authorization header or a presigned query says, unverified; undefined for an unsigned request.
 * @throws AwsError for a signature that cannot be read
 */
export function claimOf(headers: IncomingHttpHeaders, query: URLSearchParams): Claim | undefined {
  const { authorization } = headers;
  if (authorization !== undefined) return headerClaim(authorization, headers);
  if (query.has("X-Amz-Signature")) return queryClaim(query);
  return undefined;
}

/**
 * Whose request this is. With `verify`, the signature is computed anew from the secret and the request as it came.
 * @throws AwsError for unknown or expired keys, a wrong signature, or a body other than the one signed
 */
export function authenticate(
  request: Omit<AwsRequest, "principal">,
  claim: Claim,
  { credentials, now, verify }: { credentials: Credentials; now: number; verify: boolean },
): Credential {
  const refuse = (problem: Parameters<typeof authError>[0]) => authError(problem, claim.service, request);
  const credential = credentials.find(claim.accessKeyId);
  if (!credential || claim.sessionToken !== credential.sessionToken) throw refuse("unknown key");
  if (verify && !isBacked(request, claim, credential)) throw refuse("bad signature");
  if (credential.expiresAt !== undefined && now >= credential.expiresAt) throw refuse("expired");
  // Written so that an unreadable number of seconds has expired too.
  if (claim.expiresInSeconds !== undefined && !(now < signedAtMs(claim) + claim.expiresInSeconds * 1000)) {
    throw new AwsError("AccessDenied", "Request has expired", 403);
  }
  return credential;
}

function headerClaim(authorization: string, headers: IncomingHttpHeaders): Claim {
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

const headerPattern = /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/;

function queryClaim(query: URLSearchParams): Claim {
  return {
    ...scopeOf(query.get("X-Amz-Credential") ?? ""),
    signedHeaders: (query.get("X-Amz-SignedHeaders") ?? "").split(";"),
    signature: query.get("X-Amz-Signature") ?? "",
    signedAt: query.get("X-Amz-Date") ?? "",
    sessionToken: query.get("X-Amz-Security-Token") ?? undefined,
    expiresInSeconds: Number(query.get("X-Amz-Expires") ?? Number.NaN),
  };
}

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

function signedAtMs({ signedAt }: Claim): number {
  return Date.parse(signedAt.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
}

/** The age of a signature is not judged: replays do not matter here, and a test may move the clock for one side first. */
function isBacked(request: Omit<AwsRequest, "principal">, claim: Claim, credential: Credential): boolean {
  const payloadHash = payloadHashOf(request, claim);
  if (payloadHash === undefined || Number.isNaN(signedAtMs(claim))) return false;
  const form = claim.service === "s3" ? s3Form : escapingForm;
  const stringToSign = [
    ALGORITHM_IDENTIFIER,
    claim.signedAt,
    createScope(claim.date, claim.region, claim.service),
    hash("sha256", form.requestOf(request, claim, payloadHash)),
  ].join("\n");
  const expected = hmac(signingKey(credential, claim), stringToSign);
  const given = Buffer.from(claim.signature, "hex");
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** The hash that the signature covers, or undefined if the body is not the one that was hashed. */
function payloadHashOf({ headers, query, body }: Omit<AwsRequest, "principal">, claim: Claim): string | undefined {
  const presigned = claim.expiresInSeconds !== undefined;
  const declared = headers["x-amz-content-sha256"] ?? query.get("X-Amz-Content-Sha256") ?? undefined;
  if (declared === UNSIGNED_PAYLOAD || (presigned && declared === undefined && claim.service === "s3")) {
    return UNSIGNED_PAYLOAD;
  }
  const actual = hash("sha256", body);
  return declared === undefined || declared === actual ? actual : undefined;
}

/** Smithy's signer, opened at the step where a server joins in: the request with the headers that the client signed. */
class CanonicalForm extends SignatureV4 {
  constructor(uriEscapePath: boolean) {
    const nobody = { accessKeyId: "", secretAccessKey: "" };
    super({ region: "", service: "", credentials: nobody, sha256: Sha256, uriEscapePath });
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

const escapingForm = new CanonicalForm(true);
/** S3 alone signs its path as it is sent. */
const s3Form = new CanonicalForm(false);

function queryBag(query: URLSearchParams): Record<string, string[]> {
  const bag: Record<string, string[]> = {};
  for (const [name, value] of query) {
    bag[name] ??= [];
    bag[name].push(value);
  }
  return bag;
}

/** Derived once a day per credential, region and service. */
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
