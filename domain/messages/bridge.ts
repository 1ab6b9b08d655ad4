// The bridge from a Messages request to the model host's form of it (InvokeModel).
import { type RefusedField, refusedFields, sentBetas } from "../catalog/capability.ts";
import type { Model } from "../catalog/catalog.ts";
import { list, record } from "../json.ts";
import { Refusal } from "../refusal.ts";
import type { MessagesBody } from "./body.ts";

/** Works for every model; the client's own version travels as a header (clients reference, 4.1). */
const modelHostVersion = "bedrock-2023-05-31";
/** CountTokens wants a complete body (clients reference, 4.4), while clients that count send no `max_tokens`. */
const countingMaxTokens = 1;

/**
 * The body in the model host's form: what goes into the address is out, versions and betas are in, and what the model is
 * known to refuse is dropped. Everything else passes as it came.
 * @param betaHeader the client's `anthropic-beta`
 */
export function bridge(body: MessagesBody, model: Model, betaHeader: string | undefined): string {
  const { model: _model, stream: _stream, anthropic_beta: bodyBetas, ...rest } = body;
  const flags = [...flagsOf(betaHeader), ...list(bodyBetas).filter((flag) => typeof flag === "string")];
  const betas = sentBetas(model.capabilities, flags);
  for (const field of refusedFields(model.capabilities, betas)) drop(rest, field);
  return write({ anthropic_version: modelHostVersion, ...(betas.length > 0 && { anthropic_beta: betas }), ...rest });
}

/** The same for counting. */
export function countingBridge(body: MessagesBody, model: Model, betaHeader: string | undefined): string {
  return bridge({ max_tokens: countingMaxTokens, ...body }, model, betaHeader);
}

function flagsOf(header: string | undefined): string[] {
  return (header ?? "")
    .split(",")
    .map((flag) => flag.trim())
    .filter((flag) => flag !== "");
}

function write(body: object): string {
  try {
    return JSON.stringify({ ...body, anthropic_version: modelHostVersion });
  } catch {
    throw new Refusal("invalid_request", "body: is nested too deeply");
  }
}

/** Takes out what lies at a path such as `tools[].defer_loading`, or the list elements of one type at `tools[]`. */
function drop(body: Record<string, unknown>, { path, type }: RefusedField): void {
  const { steps, name } = parsedPath(path);
  let holders: Record<string, unknown>[] = [body];
  for (const step of steps) {
    holders = holders.flatMap((holder) => elements(holder, step));
    if (holders.length === 0) return;
  }
  for (const holder of holders) {
    if (type === undefined) delete holder[name];
    else if (Array.isArray(holder[name])) holder[name] = holder[name].filter((item) => record(item).type !== type);
  }
}

type Step = { name: string; depth: number };
type Path = { steps: Step[]; name: string };

/** All of them are the catalog's, so they are few, and read for each request. */
const parsedPaths = new Map<string, Path>();

function parsedPath(path: string): Path {
  const known = parsedPaths.get(path);
  if (known) return known;
  const steps = path
    .split(".")
    .map((step) => ({ name: step.replaceAll("[]", ""), depth: step.split("[]").length - 1 }));
  const { name = "" } = steps.pop() ?? {};
  parsedPaths.set(path, { steps, name });
  return { steps, name };
}

function elements(holder: Record<string, unknown>, { name, depth }: Step): Record<string, unknown>[] {
  const value = holder[name];
  const found = depth === 0 ? [value] : list(value).flat(depth - 1);
  return found.map(record);
}
