// A call that the helper, or a client that it has asked, made: it is there once the platform's list of calls has it. An answer alone
// may come from anywhere.
import { setTimeout as pause } from "node:timers/promises";
import * as z from "zod/mini";
import { type Platform, understood } from "../sign-in/platform/platform.ts";

const callSchema = z.object({ request_id: z.string(), session_id: z.optional(z.string()), admitted_at: z.string() });
export type Call = z.output<typeof callSchema>;

/** A call is listed once it is settled, which is after its answer. */
const patienceMs = 20_000;
const pauseMs = 400;

/** The newest calls of the person. @throws Failure. */
export async function callsOf(platform: Platform, userId: string): Promise<Call[]> {
  const query = new URLSearchParams({ caller_id: userId, limit: "100" });
  const answer = await platform.ask(platform.api(`/calls?${query}`));
  return understood(z.object({ data: z.array(callSchema) }), answer, "the platform's list of calls is none").data;
}

/**
 * Whether the platform lists such a call within 20 seconds.
 * @throws Failure.
 */
export async function isListed(platform: Platform, userId: string, isOwn: (call: Call) => boolean): Promise<boolean> {
  for (const until = Date.now() + patienceMs; ; await pause(pauseMs)) {
    if ((await callsOf(platform, userId)).some(isOwn)) return true;
    if (Date.now() > until) return false;
  }
}
