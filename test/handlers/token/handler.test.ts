import { beforeEach, expect, test } from "@jest/globals";
import { type TokenEndpoint, tokenHandler } from "../../../handlers/token/handler.ts";

let asked: Parameters<TokenEndpoint>[0][];
let problems: string[];
let play: TokenEndpoint;
beforeEach(() => {
  [asked, problems] = [[], []];
  play = async () => ({ status: 200, body: tokens({ sub: "ann", tenant_id: "t1" }) });
});

const tokens = (claims: object) =>
  JSON.stringify({ access_token: `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.signature` });

const ask = (body: string, { method = "POST", isBase64Encoded = false, authorization = "Basic YTpi" } = {}) =>
  tokenHandler({
    endpoint: (request) => {
      asked.push(request);
      return play(request);
    },
    log: { info: () => {}, problem: (message) => problems.push(message) },
  })({ headers: { authorization }, body, isBase64Encoded, requestContext: { http: { method } } } as never);

test("the token endpoint of connectors sends the client's form to the pool, without the resource", async () => {
  const form = "grant_type=authorization_code&code=a%2Bb&resource=https%3A%2F%2Fmcp.example.com&code_verifier=v";
  const kept = "grant_type=authorization_code&code=a%2Bb&code_verifier=v";
  expect(await ask(form)).toMatchObject({ statusCode: 200, body: tokens({ sub: "ann", tenant_id: "t1" }) });
  await ask(Buffer.from(form).toString("base64"), { isBase64Encoded: true });
  expect(asked).toEqual([
    { form: kept, authorization: "Basic YTpi" },
    { form: kept, authorization: "Basic YTpi" },
  ]);
});

test("the token endpoint of connectors passes on the pool's refusal, and no answer may be cached", async () => {
  play = async () => ({ status: 400, body: '{"error":"invalid_grant"}' });
  expect(await ask("grant_type=refresh_token")).toMatchObject({
    statusCode: 400,
    headers: { "cache-control": "no-store", "x-content-type-options": "nosniff", "content-type": "application/json" },
    body: '{"error":"invalid_grant"}',
  });
});

test("a person who is not a member of the gateway's workspace gets no token, and is told why", async () => {
  play = async () => ({ status: 200, body: tokens({ sub: "eve" }) });
  const answer = await ask("grant_type=authorization_code&code=c");
  expect([answer.statusCode, JSON.parse(answer.body ?? "")]).toEqual([
    400,
    {
      error: "access_denied",
      error_description: expect.stringContaining("no member of the workspace of this gateway"),
    },
  ]);
  expect(answer.body).not.toContain("access_token");
  expect(problems).toEqual([]);
});

test("a pool that does not answer is a temporary error, which is logged without the form", async () => {
  play = () => Promise.reject(new Error("timed out"));
  const answer = await ask("code=secret-code");
  expect([answer.statusCode, JSON.parse(answer.body ?? "").error]).toEqual([503, "temporarily_unavailable"]);
  expect(problems).toEqual(["The user pool's token endpoint does not answer"]);
});

test("the token endpoint of connectors refuses other methods than POST without a call to the pool", async () => {
  expect((await ask("", { method: "GET" })).statusCode).toBe(405);
  expect(asked).toEqual([]);
});
