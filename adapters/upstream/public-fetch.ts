// A fetch for addresses that users give. It connects to public addresses alone: the name is resolved once, every address is judged, and
// the connection is made to those that were judged. It follows no redirect, and all requests of one instance share a deadline and a
// bound of bytes.
import type { LookupAddress } from "node:dns";
import { lookup } from "node:dns/promises";
import type { IncomingMessage } from "node:http";
import { type RequestOptions, request as requestByHttps } from "node:https";
import { Readable } from "node:stream";
import { isPublicAddress } from "../../domain/upstream/public-address.ts";
import { UpstreamFailure } from "../../domain/upstream/upstream-failure.ts";
import { hostOf, upstreamUrlProblem } from "../../domain/upstream/upstream-url.ts";

export type PublicFetchOptions = {
  /** After which everything ends. */
  signal: AbortSignal;
  /** The bytes that may be read from all answers together. */
  mostBytes: number;
  resolve?: (host: string) => Promise<LookupAddress[]>;
  request?: typeof requestByHttps;
};

export type PublicFetch = {
  fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  /** The addresses of a host. @throws UpstreamFailure unless all of them are public */
  addressesOf: (url: URL) => Promise<LookupAddress[]>;
  /** The reason for which the last request failed. Libraries around `fetch` hide it. */
  failure: () => UpstreamFailure | undefined;
  /** Aborted once the bytes are used up: a library that waits for the rest of an answer would not hear of it. */
  spent: AbortSignal;
};

const resolveAll = (host: string) => lookup(host, { all: true, verbatim: true });

export function publicFetch({
  signal,
  mostBytes,
  resolve = resolveAll,
  request = requestByHttps,
}: PublicFetchOptions): PublicFetch {
  let bytesLeft = mostBytes;
  const spending = new AbortController();
  let failure: UpstreamFailure | undefined;

  async function addressesOf(url: URL): Promise<LookupAddress[]> {
    if (upstreamUrlProblem(url.href) !== undefined) throw new UpstreamFailure("address_not_public");
    const found = await Promise.race([resolve(hostOf(url)), aborted(signal)]).catch((error) => {
      throw failureOf(error, signal);
    });
    if (found.length === 0) throw new UpstreamFailure("unreachable");
    // One address that is not public refuses the name: whoever controls the name chose that address.
    if (!found.every(({ address }) => isPublicAddress(address))) throw new UpstreamFailure("address_not_public");
    return found;
  }

  async function* bounded(message: IncomingMessage): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of message as AsyncIterable<Buffer>) {
        bytesLeft -= chunk.length;
        if (bytesLeft < 0) {
          spending.abort();
          throw new UpstreamFailure("too_large");
        }
        yield chunk;
      }
    } catch (error) {
      failure = failureOf(error, signal);
      throw failure;
    } finally {
      message.destroy();
    }
  }

  async function send(url: URL, init: RequestInit): Promise<Response> {
    const addresses = await addressesOf(url);
    const answer = await new Promise<IncomingMessage>((answered, failed) => {
      const options: RequestOptions = {
        method: init.method ?? "GET",
        // No Agent: a connection that is kept would outlive the judgement of its address.
        agent: false,
        headers: Object.fromEntries(new Headers(init.headers)),
        lookup: (_host, { all }, found) => {
          const [first] = addresses;
          if (all) found(null, addresses);
          else found(null, first?.address ?? "", first?.family ?? 4);
        },
        signal: init.signal ? AbortSignal.any([signal, init.signal]) : signal,
      };
      const sent = request(url, options, answered);
      sent.on("error", failed);
      sent.end(typeof init.body === "string" ? init.body : undefined);
    });
    const { statusCode: status = 0, headers } = answer;
    if (status >= 300 && status < 400) {
      answer.destroy();
      throw new UpstreamFailure("redirected");
    }
    const hasBody = ![101, 204, 205].includes(status);
    if (!hasBody) answer.resume();
    const body = hasBody ? (Readable.toWeb(Readable.from(bounded(answer))) as ReadableStream) : null;
    const shown = Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)] as [string, string]],
    );
    return new Response(body, { status: Math.min(Math.max(status, 200), 599), headers: shown });
  }

  return {
    addressesOf,
    failure: () => failure,
    spent: spending.signal,
    async fetch(url, init = {}) {
      try {
        return await send(new URL(url), init);
      } catch (error) {
        failure = failureOf(error, signal);
        throw failure;
      }
    },
  };
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, fail) => {
    if (signal.aborted) fail(signal.reason);
    signal.addEventListener("abort", () => fail(signal.reason), { once: true });
  });
}

/** @see https://nodejs.org/api/errors.html and https://nodejs.org/api/tls.html#x509-certificate-error-codes */
function failureOf(error: unknown, signal: AbortSignal): UpstreamFailure {
  if (error instanceof UpstreamFailure) return error;
  if (signal.aborted) return new UpstreamFailure("too_slow", error);
  const { code = "" } = error as { code?: string };
  const isCertificate = /CERT|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH|ALTNAME/.test(code);
  return new UpstreamFailure(isCertificate ? "certificate_refused" : "unreachable", error);
}
