// What the proxy's endpoints work with, and what they know of each request.
import type { Context } from "aws-lambda";
import type { Admission } from "../../domain/admission.ts";
import type { Log } from "../../domain/log.ts";
import type { ModelHost } from "../../domain/model-host.ts";
import type { Telemetry } from "../../domain/telemetry.ts";
import type { Bookings } from "../../domain/unbooked.ts";
import { requestIdOf } from "../middleware/request-id.ts";
import { bodyOf, firstOf, type Names, type ProxyEvent, viewerHost } from "./request.ts";
import type { Schedule } from "./silence.ts";

/** A session id is for operators to search by; a longer one is cut. */
const maxSessionIdLength = 256;

export type ProxyDependencies = {
  admission: Admission;
  modelHost: ModelHost;
  bookings: Bookings;
  telemetry: Telemetry;
  log: Log;
  originSecretHashes: string[];
  vendorSegments: string[];
  names: Names;
  clock: () => number;
  schedule: Schedule;
};

export type ProxyCall = {
  requestId: string;
  host: string;
  headers: Record<string, string | undefined>;
  body: string;
  region: string | undefined;
  sessionId: string | undefined;
  /** Milliseconds until the function must be done. */
  remainingMilliseconds: () => number;
};

/** @throws Refusal not_found for a call that did not come through the edge. */
export function callOf(is: ProxyDependencies, event: ProxyEvent, context: Context): ProxyCall {
  const { headers } = event;
  return {
    requestId: requestIdOf(context),
    host: viewerHost(headers, is.originSecretHashes),
    headers,
    body: bodyOf(event),
    region: firstOf(headers, is.names.regionHeaders),
    sessionId: firstOf(headers, is.names.sessionHeaders)?.slice(0, maxSessionIdLength),
    remainingMilliseconds: () => context.getRemainingTimeInMillis(),
  };
}
