import { createHash } from "node:crypto";
import { deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import {
  betaFlags,
  bodyOf,
  firstHeader,
  forwardedHeaders,
  isClaudeCode,
  originOf,
  viewerHost,
} from "../../../handlers/proxy/request.ts";

const hash = (secret: string) => createHash("sha256").update(secret).digest("hex");

describe("the viewer's host", () => {
  const headers = { "x-origin-secret": "new", "x-viewer-host": "acme.proxy.localhost" };

  test("the viewer's host is accepted with the origin secret or, during a rotation, the previous secret", () => {
    expect(viewerHost(headers, [hash("new")])).toBe("acme.proxy.localhost");
    expect(viewerHost(headers, [hash("newer"), hash("new")])).toBe("acme.proxy.localhost");
  });

  test.each([undefined, "", "old", "new ", "NEW", "x".repeat(100_000)])(
    "the viewer's host is not accepted with the secret %j",
    (secret) => {
      expect(() => viewerHost({ ...headers, "x-origin-secret": secret }, [hash("new")])).toThrow(
        expect.objectContaining({ code: "tenant_unknown" }),
      );
    },
  );

  test("the viewer's host comes from the edge's header, and never from the request's own", () => {
    expect(viewerHost({ ...headers, host: "evil.proxy.localhost" }, [hash("new")])).toBe("acme.proxy.localhost");
    expect(viewerHost({ "x-origin-secret": "new", host: "acme.proxy.localhost" }, [hash("new")])).toBe("");
  });
});

test.each([
  ["claude-cli/2.1.330 (external, cli)", true],
  ["claude-cli/2.1.330 (external, sdk-ts, agent-sdk/0.3.330)", true],
  ["claude-code/2.1.330", true],
  ["claude-codex/1.0", false],
  ["Anthropic/JS 1.12.0", false],
  ["curl/8.0 claude-cli/", false],
  [undefined, false],
])("Claude Code is recognized by its user agent: %j", (agent, told) => {
  expect(isClaudeCode({ "user-agent": agent })).toBe(told);
});

describe("the session id", () => {
  const of = (id: string) => originOf({ s: id }, { session: ["s"], region: [] }).session_id;

  test("the session id is the client's, cut to 256 characters", () => {
    expect(of("0b3c-session")).toBe("0b3c-session");
    expect(of("x".repeat(300))).toBe("x".repeat(256));
  });

  test.each([
    "ar_live_4Tn9",
    "AR_TEST_4TN9",
    "s-Ar_Live_x",
    "eyJhbGciOi",
    "EYJHBGCIOI",
    "bearer eyjhbg",
    "sk-ant-api03",
    "SK-ANT-X",
  ])("a session id that is a credential is ignored: %s", (id) => {
    expect(of(id)).toBeUndefined();
  });
});

test("a body is read as text, also if it came in base64", async () => {
  const headers = {};
  expect(await bodyOf({ headers, body: "é", isBase64Encoded: false }, 10)).toBe("é");
  expect(await bodyOf({ headers, body: Buffer.from("é").toString("base64"), isBase64Encoded: true }, 10)).toBe("é");
  expect(await bodyOf({ headers, isBase64Encoded: false }, 10)).toBe("");
});

describe("a compressed body", () => {
  const text = JSON.stringify({ say: "é".repeat(400) });
  const most = Buffer.byteLength(text);
  const read = (encoding: string, bytes: Uint8Array, maxBytes = most) => {
    const body = Buffer.from(bytes).toString("base64");
    return bodyOf({ headers: { "content-encoding": encoding }, body, isBase64Encoded: true }, maxBytes);
  };

  test.each([
    ["gzip", gzipSync],
    ["x-gzip", gzipSync],
    [" GZip ", gzipSync],
    ["zstd", zstdCompressSync],
    ["identity", Buffer.from],
    ["", Buffer.from],
  ] as const)("a body with the content-encoding %j is read", async (encoding, compress) => {
    expect(await read(encoding, compress(Buffer.from(text)))).toBe(text);
  });

  test.each([
    ["gzip", gzipSync],
    ["zstd", zstdCompressSync],
  ] as const)(
    "a body of %s that grows beyond the limit is too large, by one byte or by 100 MB",
    async (encoding, compress) => {
      for (const [grown, limit] of [
        [Buffer.from(text), most - 1],
        [Buffer.alloc(100_000_000), 6_000_000],
      ] as const) {
        await expect(read(encoding, compress(grown), limit)).rejects.toMatchObject({ code: "request_too_large" });
      }
    },
  );

  test.each(["deflate", "br", "gzip, zstd", "gzip;q=1", "constructor", "\u0000"])(
    "a body with the content-encoding %j is refused with what is read",
    async (encoding) => {
      await expect(read(encoding, deflateSync(text))).rejects.toMatchObject({
        code: "encoding_unsupported",
        message: expect.stringContaining("Send gzip, zstd, or the body as it is."),
      });
    },
  );

  test.each([
    ["gzip", Buffer.from(text)],
    ["gzip", gzipSync(text).subarray(0, 20)],
    ["gzip", Buffer.alloc(0)],
    ["zstd", gzipSync(text)],
    ["zstd", zstdCompressSync(text).subarray(0, 20)],
  ])("a body that is not what its content-encoding %s says is the caller's mistake", async (encoding, bytes) => {
    await expect(read(encoding, bytes)).rejects.toMatchObject({
      code: "invalid_request",
      message: `body: is not what content-encoding says, ${encoding}`,
    });
  });
});

test("the first present header of several counts, even if it is empty", () => {
  expect(firstHeader({ b: "2", c: "3" }, ["a", "b", "c"])).toBe("2");
  expect(firstHeader({ a: "", b: "2" }, ["a", "b"])).toBe("");
  expect(firstHeader({}, ["a"])).toBeUndefined();
});

describe("where a call comes from", () => {
  const names = { session: ["x-code-session-id"], region: [] };

  test("a call's session and agent come from the configured header, or else from Claude Code's own headers", () => {
    const claudeCode = { "x-claude-code-session-id": "s2", "x-claude-code-agent-id": "a1" };
    expect(originOf(claudeCode, names)).toEqual({ session_id: "s2", agent_id: "a1" });
    expect(originOf({ ...claudeCode, "x-code-session-id": "s1" }, names)).toEqual({ session_id: "s1", agent_id: "a1" });
    expect(originOf({}, names)).toEqual({});
  });

  test.each(["ar_live_x", "AR_TEST_x", "eyJhbGciOi", "EYJhbGciOi", "Bearer eyj", ""])(
    "a call's session cannot be the credential %j",
    (id) => {
      expect(originOf({ "x-code-session-id": id, "x-claude-code-agent-id": id }, names)).toEqual({});
    },
  );
});

test("beta flags are read as a list with commas", () => {
  expect(betaFlags({ "anthropic-beta": " a,b ,\tc" })).toEqual(["a", "b", "c"]);
});

describe("headers for the model host", () => {
  test("exactly three headers are sent to the model host, unchanged", () => {
    const forwarded = {
      "anthropic-version": "2023-06-01",
      "anthropic-beta": " a,b ,\tc",
      "content-type": "application/json; charset=utf-8",
    };
    const others = {
      authorization: "Bearer x",
      "x-api-key": "ar_live_x",
      "x-code-session-id": "s",
      "x-platform-region": "us-east-1",
      "x-origin-secret": "o",
      "x-viewer-host": "h",
      "anthropic-dangerous-direct-browser-access": "true",
      cookie: "c",
    };
    expect(forwardedHeaders({ ...forwarded, ...others })).toEqual(forwarded);
    expect(forwardedHeaders(others)).toEqual({});
    expect(forwardedHeaders({ "anthropic-beta": "" })).toEqual({ "anthropic-beta": "" });
  });

  test("headers for the model host are limited to the length that it accepts", () => {
    expect(forwardedHeaders({ "anthropic-beta": "x".repeat(8_192) })["anthropic-beta"]).toHaveLength(8_192);
    expect(() => forwardedHeaders({ "anthropic-beta": "x".repeat(8_193) })).toThrow(
      expect.objectContaining({
        code: "invalid_request",
        message: "anthropic-beta: must have at most 8192 characters",
      }),
    );
  });

  test.each(["ü", "a\r\nx-injected: 1", "a\u0000", "a\u007f", "😀"])(
    "headers for the model host cannot be %j",
    (value) => {
      expect(() => forwardedHeaders({ "anthropic-beta": value })).toThrow(
        expect.objectContaining({ code: "invalid_request", message: "anthropic-beta: must be plain ASCII" }),
      );
    },
  );
});
