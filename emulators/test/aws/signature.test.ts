import { describe, expect, test } from "@jest/globals";
import { Sha256 } from "@smithy/core/checksum";
import { SignatureV4 } from "@smithy/signature-v4";
import { Credentials, type Keys } from "../../aws/credentials.ts";
import type { AwsRequest } from "../../aws/service.ts";
import { authenticate, claimOf } from "../../aws/signature.ts";
import { aPrincipal } from "../support/declared-iam.ts";

type Sent = {
  method: string;
  path: string;
  query: Record<string, string | string[]>;
  headers: Record<string, string>;
  body: string;
};

const credentials = new Credentials();
const keys = credentials.issue(aPrincipal("proxy"));
const signedAt = new Date("2026-11-20T10:00:00Z");

const invoke: Sent = {
  method: "POST",
  // The SDK sends the id of a model in this form.
  path: "/model/eu.vendor.model-v1%3A0/invoke-with-response-stream",
  query: {},
  headers: { host: "127.0.0.1:8000", "content-type": "application/json", "x-note": " two  spaces " },
  body: '{"a":1}',
};

function signer(service: string, signingKeys: Keys = keys): SignatureV4 {
  return new SignatureV4({
    service,
    region: "eu-central-1",
    credentials: signingKeys,
    sha256: Sha256,
  });
}

async function sign(sent: Sent, service = "bedrock"): Promise<Sent> {
  const request = { ...sent, protocol: "http:", hostname: "h" };
  const { headers } = await signer(service).sign(request, { signingDate: signedAt });
  return { ...sent, headers };
}

/** The credential by which the endpoint takes a request. */
async function received(sent: Sent) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(sent.query)) for (const one of [value].flat()) query.append(name, one);
  const request: Omit<AwsRequest, "principal"> = {
    ...sent,
    query,
    body: Buffer.from(sent.body),
    region: "eu-central-1",
  };
  const claim = claimOf(sent.headers);
  if (!claim) throw new Error("unsigned");
  return authenticate(request, claim, { credentials, now: signedAt.getTime() });
}

const badSignature = { code: "InvalidSignatureException", status: 403 };

describe("a signed request", () => {
  test("a request signed with the right secret is accepted", async () => {
    const { principal } = await received(await sign(invoke));
    expect(principal).toBe(credentials.find(keys.accessKeyId)?.principal);
  });

  test("a signed request is accepted with a query in any order, also if names occur twice", async () => {
    const query = { tagKeys: ["b", "a"], prefix: "a b+c/ü*" };
    await received(await sign({ ...invoke, query }));
    const signed = await sign({ ...invoke, query });
    await received({ ...signed, query: { prefix: query.prefix, tagKeys: ["a", "b"] } });
  });

  test.each<[string, Partial<Sent>]>([
    ["body", { body: '{"a":2}' }],
    ["path", { path: "/model/other/invoke" }],
    ["method", { method: "PUT" }],
    ["query", { query: { force: "true" } }],
  ])("with another %s is refused", async (_, change) => {
    await expect(received({ ...(await sign(invoke)), ...change })).rejects.toMatchObject(badSignature);
  });

  test("a change of a signed header makes the request invalid; a change of an unsigned header does not", async () => {
    const signed = await sign(invoke);
    const changed = { ...signed, headers: { ...signed.headers, "x-note": "three" } };
    await expect(received(changed)).rejects.toMatchObject(badSignature);
    await received({ ...signed, headers: { ...signed.headers, "user-agent": "aws-sdk-js/3" } });
  });

  test("a signed request whose declared hash differs from the hash of its body is refused", async () => {
    const headers = { ...invoke.headers, "x-amz-content-sha256": "0".repeat(64) };
    await expect(received(await sign({ ...invoke, headers }))).rejects.toMatchObject(badSignature);
  });

  test("a signed request without a readable date is refused", async () => {
    const signed = await sign(invoke);
    const undated = { ...signed, headers: { ...signed.headers, "x-amz-date": "today" } };
    await expect(received(undated)).rejects.toMatchObject(badSignature);
  });

  test("a signed request with another session's token is refused", async () => {
    const signed = await sign(invoke);
    const changed = { ...signed, headers: { ...signed.headers, "x-amz-security-token": "other" } };
    await expect(received(changed)).rejects.toMatchObject({ code: "UnrecognizedClientException" });
  });
});

describe("the claim of a request", () => {
  test("the scope of a request's signature is read without checking the signature", async () => {
    const { headers } = await sign(invoke);
    expect(claimOf(headers)).toMatchObject({
      accessKeyId: keys.accessKeyId,
      date: "20261120",
      region: "eu-central-1",
      service: "bedrock",
      signedAt: "20261120T100000Z",
    });
  });

  test("an unsigned request has no scope of a signature", () => {
    expect(claimOf({})).toBeUndefined();
  });

  test.each(["Bearer abc", "AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=00"])(
    "no scope of a signature can be read from %s",
    (authorization) => {
      expect(() => claimOf({ authorization })).toThrow("cannot read");
    },
  );
});
