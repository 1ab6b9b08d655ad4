// Signature Version 4 as a server reads it: what a request claims, and whether its secret backs the claim.
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { Sha256 } from "@smithy/core/checksum";
import { ALGORITHM_IDENTIFIER, createScope, getCanonicalHeaders, SignatureV4 } from "@smithy/signature-v4";
import type { HttpRequest } from "@smithy/types";
import { AwsError, type AwsRequest } from "./aws-service.ts";
import { authError } from "./common-errors.ts";
import type { Credential, Credentials } from "./credentials.ts";

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
export async function authenticate(
  request: Omit<AwsRequest, "principal">,
  claim: Claim,
  { credentials, now, verify }: { credentials: Credentials; now: number; verify: boolean },
): Promise<Credential> {
  const refuse = (problem: Parameters<typeof authError>[0]) => authError(problem, claim.service, request);
  const credential = credentials.find(claim.accessKeyId);
  if (!credential || claim.sessionToken !== credential.sessionToken) throw refuse("unknown key");
  if (verify && !(await isBacked(request, claim, credential))) throw refuse("bad signature");
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
async function isBacked(
  request: Omit<AwsRequest, "principal">,
  claim: Claim,
  credential: Credential,
): Promise<boolean> {
  const { headers } = request;
  const payloadHash = payloadHashOf(request, claim);
  if (payloadHash === undefined || Number.isNaN(signedAtMs(claim))) return false;
  const signed: Record<string, string> = {};
  for (const name of claim.signedHeaders) signed[name] = String(headers[name] ?? "");
  const verifier = new Verifier(claim, credential);
  const expected = await verifier.signatureOf(request, signed, payloadHash, claim);
  return (
    expected.length === claim.signature.length && timingSafeEqual(Buffer.from(expected), Buffer.from(claim.signature))
  );
}

/** The hash that the signature covers, or undefined if the body is not the one that was hashed. */
function payloadHashOf({ headers, query, body }: Omit<AwsRequest, "principal">, claim: Claim): string | undefined {
  const presigned = claim.expiresInSeconds !== undefined;
  const declared = headers["x-amz-content-sha256"] ?? query.get("X-Amz-Content-Sha256") ?? undefined;
  if (declared === "UNSIGNED-PAYLOAD" || (presigned && declared === undefined && claim.service === "s3")) {
    return "UNSIGNED-PAYLOAD";
  }
  const actual = createHash("sha256").update(body).digest("hex");
  return declared === undefined || declared === actual ? actual : undefined;
}

/** Smithy's signer, opened at the step where a server starts: with the headers that the client chose to sign. */
class Verifier extends SignatureV4 {
  constructor({ region, service }: Claim, credentials: Credential) {
    super({ region, service, credentials, sha256: Sha256, uriEscapePath: service !== "s3" });
  }

  async signatureOf(
    { method, path, query }: Omit<AwsRequest, "principal">,
    signedHeaders: Record<string, string>,
    payloadHash: string,
    claim: Claim,
  ): Promise<string> {
    const canonical = this.createCanonicalRequest(
      { method, path, query: queryBag(query), headers: signedHeaders } as HttpRequest,
      getCanonicalHeaders({ headers: signedHeaders } as HttpRequest, undefined, new Set(claim.signedHeaders)),
      payloadHash,
    );
    const scope = createScope(claim.date, claim.region, claim.service);
    const stringToSign = await this.createStringToSign(claim.signedAt, scope, canonical, ALGORITHM_IDENTIFIER);
    return this.sign(stringToSign, { signingDate: new Date(signedAtMs(claim)) });
  }
}

function queryBag(query: URLSearchParams): Record<string, string[]> {
  const bag: Record<string, string[]> = {};
  for (const [name, value] of query) {
    bag[name] ??= [];
    bag[name].push(value);
  }
  return bag;
}
