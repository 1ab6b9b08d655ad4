// Signature Version 4 of posts with a body, over Node's hashes. AWS's own signer gives the same signature in several times the time,
// since it takes any request and derives its key's name from the secret for each (docs/decisions/0006).
import { createHmac, createSecretKey, hash, type KeyObject } from "node:crypto";
import type { AwsCredentialIdentity } from "@smithy/types";

type Options = { service: string; region: string; credentials: AwsCredentialIdentity };

export type Unsigned = {
  /** The path, escaped and without empty or dot segments, so that AWS normalizes it to the same text. */
  path: string;
  /** Names in lower case, `host` among them. None may be one that a proxy on the way changes: all are signed. */
  headers: Record<string, string>;
  body: string | Buffer;
};

type Day = { date: string; scope: string; key: KeyObject };

const algorithm = "AWS4-HMAC-SHA256";

export class RequestSigner {
  readonly #options: Options;
  #day: Day | undefined;

  constructor(options: Options) {
    this.#options = options;
  }

  /** The request's headers with the signature of its path, its headers and its whole body. */
  sign({ path, headers, body }: Unsigned, now: Date): Record<string, string> {
    const { accessKeyId, sessionToken } = this.#options.credentials;
    const longDate = `${now.toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`;
    const { scope, key } = this.#dayOf(longDate.slice(0, 8));
    const signed: Record<string, string> = { ...headers, "x-amz-date": longDate };
    if (sessionToken) signed["x-amz-security-token"] = sessionToken;
    const names = Object.keys(signed).sort();
    const lines = names.map((name) => `${name}:${signed[name]?.replaceAll(/[ \t]+/g, " ").trim()}\n`).join("");
    const nameList = names.join(";");
    const canonical = `POST\n${escapedTwice(path)}\n\n${lines}\n${nameList}\n${sha256(body)}`;
    const toSign = `${algorithm}\n${longDate}\n${scope}\n${sha256(canonical)}`;
    const signature = createHmac("sha256", key).update(toSign).digest("hex");
    signed.authorization = `${algorithm} Credential=${accessKeyId}/${scope}, SignedHeaders=${nameList}, Signature=${signature}`;
    return signed;
  }

  /** The key holds for a day, and is derived as AWS's page "Create a signed AWS API request" says. */
  #dayOf(date: string): Day {
    if (this.#day?.date === date) return this.#day;
    const { service, region, credentials } = this.#options;
    const steps = [date, region, service, "aws4_request"];
    const secret = Buffer.from(`AWS4${credentials.secretAccessKey}`);
    const key = steps.reduce((secret, step) => createHmac("sha256", secret).update(step).digest(), secret);
    this.#day = { date, scope: steps.join("/"), key: createSecretKey(key) };
    return this.#day;
  }
}

/** The canonical request has the path escaped once more than the address has it, and by RFC 3986. */
function escapedTwice(path: string): string {
  const escaped = encodeURIComponent(path).replaceAll("%2F", "/");
  return escaped.replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

const sha256 = (text: string | Buffer) => hash("sha256", text, "hex");
