// The checks that Bedrock makes of a body: first its shape, then the combination of fields, and the features of the model.
import type { z } from "zod";
import { AwsError } from "../../aws/service.ts";
import { type HostModel, publicName } from "../models.ts";
import { gatedParts, knownBetas } from "./betas.ts";
import { bodySchema, type RequestBody, type Thinking, thinkingForms } from "./body-schema.ts";
import type { CacheControl } from "./message-schema.ts";
import { checkSystemTurns } from "./system-turns.ts";
import { countPrompt, promptParts } from "./tokens.ts";
import { clientTool, clientToolTypes, customTool, type Tool } from "./tool-schema.ts";
import { firstProblem, issueMessage, unknownTag } from "./validation-message.ts";

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
  const request: RequestBody = {
    ...body,
    tools: body.tools?.map((tool, index) => readTool(tool, index)),
    thinking: readThinking(body.thinking),
  };
  checkBetas(request, model);
  checkModel(request, model);
  checkSystemTurns(request.messages);
  checkThinking(request);
  checkTools(request);
  checkCacheControl(request);
  return request;
}

/** @throws AwsError ValidationException for more output than the model writes, or a prompt that its window does not hold. */
export function checkLimits(body: RequestBody, { id, maxInputTokens, maxOutputTokens }: HostModel): void {
  if (body.max_tokens > maxOutputTokens) {
    const explanation = `which is the maximum allowed number of output tokens for ${publicName(id)}`;
    throw invalid(`max_tokens: ${body.max_tokens} > ${maxOutputTokens}, ${explanation}`);
  }
  const tokens = countPrompt(promptParts(body));
  if (tokens > maxInputTokens) throw invalid(`prompt is too long: ${tokens} tokens > ${maxInputTokens} maximum`);
}

function readTool(tool: unknown, index: number): Tool {
  const type = (tool as { type?: unknown } | null)?.type ?? "custom";
  if (type === "custom") return checked(customTool, tool, ["tools", index, "custom"]);
  if (clientToolTypes.some((known) => known === type)) return checked(clientTool, tool, ["tools", index]);
  throw invalid(`tools.${index}: ${unknownTag(type, ["custom", ...clientToolTypes])}`);
}

function readThinking(thinking: unknown): Thinking | undefined {
  if (thinking === undefined) return undefined;
  const type = (thinking as { type?: unknown } | null)?.type;
  if (type === undefined) throw invalid("thinking.type: Field required");
  if (!isThinkingForm(type)) throw invalid(`thinking: ${unknownTag(type, Object.keys(thinkingForms))}`);
  return checked(thinkingForms[type], thinking, ["thinking", type]);
}

function isThinkingForm(type: unknown): type is keyof typeof thinkingForms {
  return typeof type === "string" && Object.hasOwn(thinkingForms, type);
}

function checkBetas(body: RequestBody, model: HostModel): void {
  const flags = body.anthropic_beta ?? [];
  if (flags.some((flag) => !knownBetas.has(flag) || model.refusedBetas.includes(flag)))
    throw invalid("invalid beta flag");
  for (const { needs, words } of gatedParts(body)) {
    if (!needs.some((flag) => flags.includes(flag))) throw invalid(words);
  }
}

function checkModel(body: RequestBody, model: HostModel): void {
  const flags = body.anthropic_beta ?? [];
  const features = featuresOf(body);
  for (const [feature, message] of Object.entries(model.refuses)) {
    const excused = model.refusesUnless[feature]?.some((flag) => flags.includes(flag));
    if (features.has(feature) && !excused) throw invalid(message);
  }
}

/** The features of a body by the names in `HostModel.refuses`. */
function featuresOf(body: RequestBody): Set<string> {
  const features = new Set(Object.keys(body));
  if (body.thinking) features.add(`thinking.${body.thinking.type}`);
  if (body.output_config?.effort) features.add("output_config.effort");
  if (body.messages.some(({ role }) => role === "system")) features.add("role.system");
  return features;
}

/** With interleaved thinking the budget is that of a whole turn, of several calls (platform.claude.com, extended thinking). */
function checkThinking({ thinking, max_tokens, tool_choice, anthropic_beta: flags = [] }: RequestBody): void {
  if (thinking?.type !== "enabled") return;
  if (max_tokens <= thinking.budget_tokens && !flags.includes("interleaved-thinking-2025-05-14")) {
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
