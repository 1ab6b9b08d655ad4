// What a request asks for, in few words: enough to see which feature a refusal is about.
import type { IncomingHttpHeaders } from "node:http";

export type Turn = { role: string; text: string };

export type Features = {
  model?: string | undefined;
  stream?: boolean | undefined;
  max_tokens?: number | undefined;
  /** As sent, without its text. */
  thinking?: Record<string, unknown> | undefined;
  /** Roles of `messages` in their order, equal neighbours once. */
  roles: string[];
  /** The texts of each of `messages`. */
  turns: Turn[];
  betas: string[];
  /** Names of the body's members. */
  keys: string[];
  /** Lifetimes of the cache breakpoints anywhere in the body. */
  cacheTtls: string[];
  output_config?: unknown;
  tools: number;
  /** True if it says of itself that a subagent makes it: Claude Code and opencode do. */
  subagent: boolean;
  credential: "key" | "jwt" | "other" | "none";
};

type Body = {
  model?: string;
  stream?: boolean;
  max_tokens?: number;
  thinking?: Record<string, unknown>;
  messages?: { role: string; content?: string | { type: string; text?: string }[] }[];
  output_config?: { format?: { type?: string }; effort?: string };
  tools?: unknown[];
};

export function featuresOf(headers: IncomingHttpHeaders, text: string): Features {
  const body = parse(text);
  const betas = String(headers["anthropic-beta"] ?? "").split(",");
  return {
    model: body.model,
    stream: body.stream,
    max_tokens: body.max_tokens,
    thinking: body.thinking,
    roles: (body.messages ?? []).map(({ role }) => role).filter((role, at, all) => role !== all[at - 1]),
    turns: (body.messages ?? []).map(({ role, content }) => ({ role, text: textOf(content) })),
    betas: betas.map((beta) => beta.trim()).filter((beta) => beta !== ""),
    keys: Object.keys(body),
    cacheTtls: [...new Set([...text.matchAll(/"ttl":\s*"(\w+)"/g)].map(([, ttl]) => ttl ?? ""))],
    output_config: body.output_config && Object.keys(body.output_config),
    tools: body.tools?.length ?? 0,
    subagent: ["x-claude-code-agent-id", "x-parent-session-id"].some((name) => headers[name] !== undefined),
    credential: credentialOf(headers),
  };
}

function textOf(content: NonNullable<Body["messages"]>[number]["content"]): string {
  return typeof content === "string" ? content : (content ?? []).map(({ text = "" }) => text).join("\n");
}

function parse(text: string): Body {
  try {
    return Object(JSON.parse(text)) as Body;
  } catch {
    return {};
  }
}

/** Only the kind: a secret is never written down. */
function credentialOf(headers: IncomingHttpHeaders): Features["credential"] {
  const sent = headers.authorization?.replace(/^Bearer /i, "") ?? headers["x-api-key"];
  if (sent === undefined) return "none";
  if (/^ar_(live|test)_/.test(String(sent))) return "key";
  return /^ey[\w-]+\.[\w-]+\./.test(String(sent)) ? "jwt" : "other";
}
