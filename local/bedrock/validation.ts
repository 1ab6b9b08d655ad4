// The checks that Bedrock makes of a body: its shape, then what fields mean together and for the model.
import type { z } from "zod";
import { AwsError } from "../aws/service.ts";
import { fieldBetas, knownBetas, toolFieldBetas } from "./betas.ts";
import { bodySchema, type CacheControl, clientTool, customTool, type RequestBody, type Tool } from "./body-schema.ts";
import type { HostModel } from "./models.ts";
import { countPrompt, promptParts } from "./tokens.ts";
import { firstProblem, issueMessage } from "./validation-message.ts";

/** 20 MB, the limit of InvokeModel for Claude models. */
export const maximumBodyBytes = 20_000_000;

/** @throws AwsError ValidationException for a body over the limit. */
export function checkSize(bytes: number): void {
  if (bytes <= maximumBodyBytes) return;
  throw invalid(
    `1 validation error detected: Value at 'body' failed to satisfy constraint: Member must have length less than or equal to ${maximumBodyBytes}`,
  );
}

/**
 * Checks a parsed body for a model.
 * @throws AwsError ValidationException that names the first field that is wrong, as Bedrock does.
 */
export function checkBody(parsed: unknown, model: HostModel): RequestBody {
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw invalid("Malformed input request, please reformat your input and try again.");
  }
  const body = checked(bodySchema, parsed, []);
  const tools = body.tools?.map((tool, index) => readTool(tool, index));
  const request: RequestBody = { ...body, tools };
  checkBetas(request, model);
  checkModel(request, model);
  checkThinking(request);
  checkTools(request);
  checkCacheControl(request);
  return request;
}

/** @throws AwsError ValidationException for a prompt that the model's window does not hold. */
export function checkPrompt(body: RequestBody, { maxInputTokens }: HostModel): void {
  const tokens = countPrompt(promptParts(body));
  if (tokens > maxInputTokens) throw invalid(`prompt is too long: ${tokens} tokens > ${maxInputTokens} maximum`);
}

function readTool(tool: unknown, index: number): Tool {
  const type = (tool as { type?: unknown } | null)?.type ?? "custom";
  if (type === "custom") return checked(customTool, tool, ["tools", index, "custom"]);
  return checked(clientTool, tool, ["tools", index]);
}

function checkBetas(body: RequestBody, model: HostModel): void {
  const flags = body.anthropic_beta ?? [];
  if (flags.some((flag) => !knownBetas.has(flag) || model.refusedBetas.includes(flag)))
    throw invalid("invalid beta flag");
  const requireFlag = (given: object, needed: Record<string, string[]>, path: string) => {
    for (const [field, betas] of Object.entries(needed)) {
      if (field in given && !betas.some((flag) => flags.includes(flag))) throw extraInput(`${path}${field}`);
    }
  };
  requireFlag(body, fieldBetas, "");
  for (const [index, tool] of (body.tools ?? []).entries()) requireFlag(tool, toolFieldBetas, `tools.${index}.custom.`);
}

function checkModel(body: RequestBody, model: HostModel): void {
  for (const [feature, message] of Object.entries(model.refuses)) {
    if (feature in body || feature === `thinking.${body.thinking?.type}`) throw invalid(message);
  }
}

function checkThinking({ thinking, max_tokens, tool_choice }: RequestBody): void {
  if (thinking?.type !== "enabled") return;
  if (max_tokens <= thinking.budget_tokens) {
    throw invalid("`max_tokens` must be greater than `thinking.budget_tokens`.");
  }
  if (tool_choice?.type === "any" || tool_choice?.type === "tool") {
    throw invalid("Thinking may not be enabled when tool_choice forces tool use.");
  }
}

function checkTools({ tools, tool_choice: choice }: RequestBody): void {
  if (choice && !tools?.length) throw invalid("tool_choice may only be specified while providing tools.");
  if (choice?.type === "tool" && !tools?.some(({ name }) => name === choice.name)) {
    throw invalid(`Tool '${choice.name}' not found in provided tools`);
  }
  const names = tools?.map(({ name }) => name) ?? [];
  if (new Set(names).size < names.length) throw invalid("tools: Tool names must be unique.");
}

function checkCacheControl(body: RequestBody): void {
  const system = typeof body.system === "string" ? [] : (body.system ?? []);
  const blocks = body.messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  const lifetimes = [...(body.tools ?? []), ...system, ...blocks].flatMap(({ cache_control }) => {
    return cache_control ? [(cache_control as CacheControl).ttl ?? "5m"] : [];
  });
  if (lifetimes.length > 4) {
    throw invalid(`A maximum of 4 blocks with cache_control may be provided. Found ${lifetimes.length}.`);
  }
  if (lifetimes.lastIndexOf("1h") > lifetimes.indexOf("5m") && lifetimes.includes("5m")) {
    throw invalid("a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block");
  }
}

function checked<T extends z.ZodType>(shape: T, value: unknown, path: PropertyKey[]): z.output<T> {
  const result = shape.safeParse(value, { error: issueMessage });
  if (result.success) return result.data;
  throw invalid(firstProblem(result.error, path));
}

const invalid = (message: string) => new AwsError("ValidationException", message);
const extraInput = (path: string) => invalid(`${path}: Extra inputs are not permitted`);
