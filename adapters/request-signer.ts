// Signature Version 4 of posts with a body: AWS's own canonical form over Node's hashes. AWS's signer gives the same signature in
// twice the time, since it derives its key's name from the secret for each request (docs/decisions/0006).
import { createHmac, createSecretKey, hash, type KeyObject } from "node:crypto";
import { Sha256 } from "@smithy/core/checksum";
import { ALGORITHM_IDENTIFIER, createScope, getCanonicalHeaders, SignatureV4Base } from "@smithy/signature-v4";
import type { AwsCredentialIdentity, HttpRequest } from "@smithy/types";

type Options = { service: string; region: string; credentials: AwsCredentialIdentity };

export type Unsigned = Pick<HttpRequest, "protocol" | "hostname" | "path"> & {
  /** Names in lower case, `host` among them. */
  headers: Record<string, string>;
  body: string;
};

type Day = { date: string; scope: string; key: KeyObject };

export class RequestSigner extends SignatureV4Base {
  readonly #options: Options;
  #day: Day | undefined;

  constructor(options: Options) {
    super({ ...options, sha256: Sha256, applyChecksum: false });
    this.#options = options;
  }

  /** The request's headers with its signature: of the whole body, and of each header that AWS lets be signed. */
  sign(request: Unsigned, now: Date): Record<string, string> {
    const { accessKeyId, sessionToken } = this.#options.credentials;
    const { longDate, shortDate } = this.formatDate(now);
    const { scope, key } = this.#dayOf(shortDate);
    const headers = {
      ...request.headers,
      "x-amz-date": longDate,
      ...(sessionToken && { "x-amz-security-token": sessionToken }),
    };
    const prepared = { ...request, method: "POST", query: {}, headers };
    const canonicalHeaders = getCanonicalHeaders(prepared);
    const canonical = this.createCanonicalRequest(prepared, canonicalHeaders, sha256(request.body));
    const toSign = [ALGORITHM_IDENTIFIER, longDate, scope, sha256(canonical)].join("\n");
    const signature = createHmac("sha256", key).update(toSign).digest("hex");
    const authorization = [
      `${ALGORITHM_IDENTIFIER} Credential=${accessKeyId}/${scope}`,
      `SignedHeaders=${this.getCanonicalHeaderList(canonicalHeaders)}`,
      `Signature=${signature}`,
    ].join(", ");
    return { ...headers, authorization };
  }

  /** The key holds for a day, and is derived as AWS's page "Create a signed AWS API request" says. */
  #dayOf(date: string): Day {
    if (this.#day?.date === date) return this.#day;
    const { service, region, credentials } = this.#options;
    const steps = [date, region, service, "aws4_request"];
    const secret = Buffer.from(`AWS4${credentials.secretAccessKey}`);
    const key = steps.reduce((secret, step) => createHmac("sha256", secret).update(step).digest(), secret);
    this.#day = { date, scope: createScope(date, region, service), key: createSecretKey(key) };
    return this.#day;
  }
}

const sha256 = (text: string) => hash("sha256", text, "hex");
