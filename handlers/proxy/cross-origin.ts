// Calls from a browser's pages (Fetch Standard, "CORS protocol"). Which pages may call is the workspace's choice. No cookie opens anything
// here, so that a page can do no more than its own credential allows.
import { answerHeaders } from "../middleware/answer-headers.ts";
import type { ProxyCall } from "./call.ts";
import { viewerHost } from "./request.ts";
import type { Answer } from "./response.ts";
import type { ProxyServices } from "./services.ts";

/** A browser asks again after this time, in which a change of the workspace's origins takes effect, too. */
const maxAgeSeconds = 60;

/** The page's origin, if the workspace at this address allows it. No failure to find out is the call's. */
export async function allowedOrigin(
  { admission, settings }: ProxyServices,
  { headers }: ProxyCall,
): Promise<string | undefined> {
  const { origin } = headers;
  if (origin === undefined) return undefined;
  try {
    const tenant = await admission.tenantAt(viewerHost(headers, settings.originSecretHashes));
    return tenant?.browser_origins?.includes(origin) ? origin : undefined;
  } catch {
    return undefined;
  }
}

/** Lets the page read the answer and all of its headers. */
export function readableBy(origin: string, answer: Answer): Answer {
  return {
    ...answer,
    headers: {
      ...answer.headers,
      "access-control-allow-origin": origin,
      "access-control-expose-headers": "*",
      vary: "origin",
    },
  };
}

/** Answers what a browser asks before it sends the call itself, which has the credential. */
export function preflight({ headers, requestId }: ProxyCall): Answer {
  const asked = headers["access-control-request-headers"] ?? "";
  return {
    statusCode: 204,
    headers: {
      ...answerHeaders,
      "request-id": requestId,
      "access-control-allow-methods": "GET, POST",
      ...(/^[\w\-, ]{1,4000}$/.test(asked) && { "access-control-allow-headers": asked }),
      "access-control-max-age": String(maxAgeSeconds),
    },
    body: "",
  };
}
