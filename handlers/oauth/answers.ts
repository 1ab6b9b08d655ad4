// Answers of the authorization server to programs, and redirects.
import { answerHeaders } from "../middleware/answer-headers.ts";
import type { OAuthAnswer } from "./message.ts";

export function json(statusCode: number, value: object): OAuthAnswer {
  const headers = { "content-type": "application/json", ...answerHeaders, "access-control-allow-origin": "*" };
  return { statusCode, headers, body: JSON.stringify(value) };
}

/** An error in the form of RFC 6749. */
export function errorAnswer(status: number, error: string, description: string): OAuthAnswer {
  return json(status, { error, error_description: description });
}

/** The next address is read by GET, and learns nothing of this one. */
export function redirect(location: string): OAuthAnswer {
  return { statusCode: 303, headers: { ...answerHeaders, location, "referrer-policy": "no-referrer" }, body: "" };
}
