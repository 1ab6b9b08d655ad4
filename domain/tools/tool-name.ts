// Names of tools as clients see them. The gateway writes `target___tool`; a client puts a name of its own before it.

/** Stands between a target's name and its tool's (docs.aws.amazon.com/bedrock-agentcore/latest/devguide/gateway-tool-naming.html). */
const toolSeparator = "___";

/** The most characters that Claude's clients take, their own `mcp__<name>__` included (anthropics/claude-code#19882, #22276). */
const longestToolName = 64;

/** The form that the models' API accepts as a tool's name. */
const plainName = /^[A-Za-z0-9_-]+$/;

export type ToolWarning = { tool: string; message: string };

/** The target and the tool of a name that the gateway offers. A name without the separator is the gateway's own. */
export function partsOf(name: string): { target: string | undefined; tool: string } {
  const at = name.indexOf(toolSeparator);
  if (at < 0) return { target: undefined, tool: name };
  return { target: name.slice(0, at), tool: name.slice(at + toolSeparator.length) };
}

/**
 * Tools that some client will not take under this name.
 * @param connector the name under which a client knows the gateway
 * @param target the integration's name
 */
export function toolWarnings(connector: string, target: string, tools: readonly string[]): ToolWarning[] {
  return tools.flatMap((tool) => {
    const shown = `mcp__${connector}__${target}${toolSeparator}${tool}`;
    const over = shown.length - longestToolName;
    if (over > 0) {
      const advice = `Claude takes ${longestToolName}: shorten the integration's name or the tool's by ${over}`;
      return [{ tool, message: `clients see ${shown}, which has ${shown.length} characters; ${advice}` }];
    }
    if (!plainName.test(tool)) {
      return [{ tool, message: "has characters beside letters, digits, _ and -, which some clients refuse" }];
    }
    return [];
  });
}
