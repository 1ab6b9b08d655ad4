// A fetch that signs what it sends as the gateway's role (iamCredentialProvider), with Signature Version 4.
import { Sha256 } from "@smithy/core/checksum";
import { SignatureV4 } from "@smithy/signature-v4";
import type { Keys } from "../../aws/credentials.ts";
import type { Fetch } from "./openapi-call.ts";

export function signedFetch(fetch: Fetch, keys: Keys, scope: { service: string; region: string }): Fetch {
  const signer = new SignatureV4({ ...scope, credentials: keys, sha256: Sha256 });
  return async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    const body = request.body === null ? undefined : await request.text();
    const signed = await signer.sign({
      method: request.method,
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: { ...Object.fromEntries(request.headers), host: url.host },
      body,
    });
    return fetch(url, {
      method: request.method,
      headers: signed.headers,
      ...(body !== undefined && { body }),
      signal: request.signal,
    });
  };
}
