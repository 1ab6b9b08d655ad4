// The checks that Bedrock makes of a body: first its shape, then the rules for all models and for this one, then its size.
import type { z } from "zod";
import { AwsError } from "../../aws/service.ts";
import { type HostModel, publicName } from "../models.ts";
import { checkRules, type Rule } from "../rules/rule.ts";
import { requestRules } from "../rules/rules.ts";
import { bodySchema, type RequestBody, type Thinking, thinkingForms } from "./body-schema.ts";
import { countPrompt, promptParts } from "./tokens.ts";
import { clientTool, clientToolTypes, customTool, type Tool, toolset, toolsetTypes } from "./tool-schema.ts";
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
export function checkBody(parsed: unknown, model: HostModel, rules: readonly Rule[] = requestRules): RequestBody {
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw invalid("Malformed input request, please reformat your input and try again.");
  }
  const body = checked(bodySchema, parsed, []);
  const request: RequestBody = {
    ...body,
    tools: body.tools?.map((tool, index) => readTool(tool, index)),
    thinking: readThinking(body.thinking),
  };
  checkRules(rules, request, { model, bindsThinking: false });
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
  if (toolsetTypes.some((known) => known === type)) return checked(toolset, tool, ["tools", index]);
  throw invalid(`tools.${index}: ${unknownTag(type, ["custom", ...clientToolTypes, ...toolsetTypes])}`);
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

function checked<T extends z.ZodType>(shape: T, value: unknown, path: PropertyKey[]): z.output<T> {
  const result = shape.safeParse(value, { error: issueMessage, reportInput: true });
  if (result.success) return result.data;
  throw invalid(firstProblem(result.error, path));
}

const invalid = (message: string) => new AwsError("ValidationException", message);
