import { expect, test } from "@jest/globals";
import { Sha256 } from "@smithy/core/checksum";
import { SignatureV4 } from "@smithy/signature-v4";
import fc from "fast-check";
import { RequestSigner } from "../../adapters/request-signer.ts";

const hostname = "bedrock-runtime.eu-central-1.amazonaws.com";
const printable = fc.string({ unit: fc.constantFrom(..." !~aZ9%+,;=:/-_\t") });

type Given = {
  service: string;
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string };
  path: string;
  headers: Record<string, string>;
  body: string;
  now: Date;
};

/** Signed by AWS's own signer, which is right by definition. */
async function signedByAws(given: Given) {
  const { service, region, credentials, path, headers, body, now } = given;
  const signer = new SignatureV4({ service, region, credentials, sha256: Sha256, applyChecksum: false });
  const request = { method: "POST", protocol: "https:", hostname, path, query: {}, headers, body };
  return (await signer.sign(request, { signingDate: now })).headers;
}

function signed({ service, region, credentials, path, headers, body, now }: Given) {
  const signer = new RequestSigner({ service, region, credentials });
  return signer.sign({ path, headers, body }, now);
}

const requests = fc.record({
  service: fc.constantFrom("dynamodb", "bedrock"),
  region: fc.constantFrom("eu-central-1", "us-east-1"),
  credentials: fc.record(
    { accessKeyId: fc.stringMatching(/^[A-Z0-9]{20}$/), secretAccessKey: fc.string(), sessionToken: fc.base64String() },
    { requiredKeys: ["accessKeyId", "secretAccessKey"] },
  ),
  path: fc
    .array(fc.webSegment().filter((segment) => !["", ".", ".."].includes(segment)))
    .map((segments) => `/${segments.join("/")}`),
  headers: fc
    .dictionary(fc.constantFrom("anthropic-beta", "anthropic-version", "content-type", "x-amz-target"), printable)
    .map((headers): Record<string, string> => ({ ...headers, host: hostname })),
  body: fc.string({ unit: "binary" }),
  now: fc.date({ min: new Date("2020-01-01"), max: new Date("2040-01-01"), noInvalidDate: true }),
});

test("every signature equals the one of AWS's own signer", async () => {
  const property = fc.asyncProperty(requests, async (given) => {
    expect(signed(given)).toEqual(await signedByAws(given));
  });
  await fc.assert(property, { numRuns: 500 });
});

test("a signer that continues after midnight UTC signs with the new day's key", async () => {
  const credentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey: "secret" };
  const given = { service: "dynamodb", region: "eu-central-1", credentials, path: "/", headers: { host: hostname } };
  const signer = new RequestSigner(given);
  for (const time of ["2026-11-21T23:59:59Z", "2026-11-22T00:00:00Z", "2026-11-21T23:59:58Z"]) {
    const now = new Date(time);
    const request = { ...given, body: "{}" };
    expect(signer.sign(request, now)).toEqual(await signedByAws({ ...request, now }));
  }
});
