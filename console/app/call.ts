// Calls of the control plane.
import type { Answer, CallInput, Further, Name, ReadName } from "./api.ts";
import { platform } from "./platform.ts";
import { refresh, SignInError, signIn, token } from "./session.ts";

/** The input may be left out where nothing of it is required. */
type Given<N extends Name> = object extends CallInput<N> ? [CallInput<N>?] : [CallInput<N>];

/** Thrown if the API refused a call, or could not be reached; `status` is 0 then. */
export class CallError extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | undefined;
  readonly details: Record<string, unknown>;
  /** Seconds until the next try, if the API names them. */
  readonly retryAfter: number | undefined;

  constructor(
    message: string,
    {
      status,
      code = "",
      requestId,
      details = {},
      retryAfter,
    }: {
      status: number;
      code?: string | undefined;
      requestId?: string | undefined;
      details?: Record<string, unknown> | undefined;
      retryAfter?: number | undefined;
    },
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.details = details;
    this.retryAfter = retryAfter;
  }

  /** Says what is wrong with a field, without the field's name; undefined if the refusal is not about it. */
  problemOf(field: string): string | undefined {
    const { fields } = this.details;
    const wrong = Array.isArray(fields) ? (fields as { path: string; message: string }[]) : [];
    return wrong.find(({ path }) => path === field)?.message;
  }
}

/** @throws CallError */
export async function call<N extends Name>(name: N, ...[input]: Given<N>): Promise<Answer<N>> {
  const response = await send(name, input);
  const text = response.status === 204 ? "" : await response.text();
  return (text ? parsed(text, response) : undefined) as Answer<N>;
}

/** All rows of a list as a file, as the API writes them: its pages one after another under the first one's head. @throws CallError */
export async function download<N extends ReadName>(name: N, ...[input]: Given<N>): Promise<Blob> {
  const pages: string[] = [];
  let cursor: string | undefined;
  do {
    const given: AnyInput = input ?? {};
    const query = { ...given.query, format: "csv", cursor };
    const response = await send(name, { ...given, query }, { accept: "text/csv" });
    const text = await response.text();
    pages.push(cursor === undefined ? text : text.slice(text.indexOf("\r\n") + 2));
    cursor = response.headers.get("x-next-cursor") ?? undefined;
  } while (cursor !== undefined);
  return new Blob(pages, { type: "text/csv" });
}

type AnyInput = Further & {
  parameters?: Record<string, string>;
  query?: Record<string, string | number | undefined>;
  body?: unknown;
};

function address(path: string, { parameters = {}, query = {} }: AnyInput): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(parameters[name] ?? ""));
  const asked = Object.entries(query).filter((entry): entry is [string, string | number] => entry[1] !== undefined);
  const search = new URLSearchParams(asked.map(([name, value]) => [name, String(value)])).toString();
  return `${platform().api_url}${filled}${search ? `?${search}` : ""}`;
}

async function send(name: string, input: AnyInput = {}, headers: Record<string, string> = {}): Promise<Response> {
  const [method = "", path = ""] = name.split(" ");
  const url = address(path, input);
  const { body, ifMatch, idempotencyKey, signal } = input;
  const attempt = async () =>
    fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${await token()}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...(ifMatch ? { "if-match": ifMatch } : {}),
        ...(idempotencyKey ? { "idempotency-key": idempotencyKey } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
  const response = await reached(attempt);
  if (response.status !== 401) return accepted(response);
  const { code } = refusal(await response.text(), response);
  // A person who signed out everywhere must type the password again, even where the sign-in host still knows the browser: no refresh helps.
  if (code === "credential_ended") await signIn(undefined, { prompt: "login" });
  await reached(refresh);
  return accepted(await reached(attempt));
}

async function accepted(response: Response): Promise<Response> {
  if (!response.ok) throw refusal(await response.text(), response);
  return response;
}

/** A person whose sign-in is over signs in again, and comes back to this page. */
async function reached<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (error instanceof SignInError) await signIn();
    if ((error as Error).name === "AbortError" || !(error instanceof TypeError)) throw error;
    throw new CallError("The platform cannot be reached. Check the connection and try again.", { status: 0 });
  }
}

function parsed(text: string, response: Response): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new CallError("The answer was not understood.", { status: response.status });
  }
}

/** The API names the one field that it refuses before what it says of it. A form has names of its own for its fields. */
function inWords({ message, details }: { message: string; details?: Record<string, unknown> }): string {
  const [field] = (Array.isArray(details?.fields) ? details.fields : []) as { path: string; message: string }[];
  if (!field || message !== `${field.path}: ${field.message}`) return message;
  return field.message.charAt(0).toUpperCase() + field.message.slice(1);
}

function refusal(text: string, response: Response): CallError {
  const { status, headers } = response;
  const retryAfter = Number(headers.get("retry-after")) || undefined;
  try {
    const { error, request_id } = JSON.parse(text) as {
      error: { message: string; details?: Record<string, unknown> };
      request_id?: string;
    };
    const code = String(error.details?.error_code ?? "");
    return new CallError(inWords(error), { status, code, requestId: request_id, details: error.details, retryAfter });
  } catch {
    return new CallError(`The platform answered ${status}.`, { status, retryAfter });
  }
}
