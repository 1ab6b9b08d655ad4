// The newest libraries: each is played by a program in `programs/`, which has a function for each scenario that the library has a feature for.
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { NewestClient } from "./client.ts";
import type { Registry } from "./registries.ts";

const programs = fileURLToPath(new URL("programs", import.meta.url));

/** The client's name, the program's, and what is installed: the first package is the client. */
const declared: [name: string, registry: Registry, program: string, ...packages: string[]][] = [
  ["Anthropic SDK, TypeScript", "npm", "anthropic-sdk", "@anthropic-ai/sdk", "zod"],
  ["Anthropic SDK, Python", "PyPI", "anthropic_client", "anthropic"],
  ["Anthropic SDK, Go", "Go", "anthropic", "github.com/anthropics/anthropic-sdk-go"],
  ["Anthropic SDK, Java", "Maven", "AnthropicJava", "com.anthropic:anthropic-java"],
  ["Agent SDK, TypeScript", "npm", "claude-agent-sdk", "@anthropic-ai/claude-agent-sdk"],
  ["Agent SDK, Python", "PyPI", "claude_agent_client", "claude-agent-sdk"],
  ["AI SDK", "npm", "ai-sdk", "ai", "@ai-sdk/anthropic", "zod"],
  ["LangChain.js", "npm", "langchain", "@langchain/anthropic", "@langchain/core", "langchain", "zod"],
  ["LangChain, Python", "PyPI", "langchain_client", "langchain-anthropic", "langchain"],
  ["LangChain, Go", "Go", "langchaingo", "github.com/tmc/langchaingo"],
  ["LangChain4j", "Maven", "LangChain4j", "dev.langchain4j:langchain4j-anthropic", "dev.langchain4j:langchain4j"],
  ["LiteLLM", "PyPI", "litellm_client", "litellm"],
  ["Pydantic AI", "PyPI", "pydantic_ai_client", "pydantic-ai-slim[anthropic]"],
  ["Instructor", "PyPI", "instructor_client", "instructor[anthropic]"],
  ["LlamaIndex, Python", "PyPI", "llama_index_client", "llama-index-llms-anthropic"],
  ["LlamaIndex.TS", "npm", "llamaindex", "@llamaindex/anthropic", "llamaindex", "zod"],
  ["OpenAI Agents, Python", "PyPI", "openai_agents_client", "openai-agents[litellm]"],
  [
    "OpenAI Agents, JS",
    "npm",
    "openai-agents",
    "@openai/agents",
    "@openai/agents-extensions",
    "@ai-sdk/anthropic@^3",
    "zod",
  ],
  ["Mastra", "npm", "mastra", "@mastra/core", "@ai-sdk/anthropic", "zod"],
  ["TanStack AI", "npm", "tanstack", "@tanstack/ai-anthropic", "@tanstack/ai", "zod"],
  ["Strands, Python", "PyPI", "strands_client", "strands-agents[anthropic]"],
  ["Strands, TypeScript", "npm", "strands", "@strands-agents/sdk", "@anthropic-ai/sdk@^0.109.1", "zod"],
  ["multi-llm-ts", "npm", "multi-llm", "multi-llm-ts"],
  ["Genkit", "npm", "genkit", "@genkit-ai/anthropic", "genkit"],
  ["Haystack", "PyPI", "haystack_client", "anthropic-haystack"],
  ["Agno", "PyPI", "agno_client", "agno", "anthropic"],
  ["smolagents", "PyPI", "smolagents_client", "smolagents[litellm]"],
  ["DSPy", "PyPI", "dspy_client", "dspy"],
  ["Microsoft Agent Framework", "PyPI", "agent_framework_client", "agent-framework-anthropic"],
  ["CrewAI", "PyPI", "crewai_client", "crewai[anthropic]"],
  ["Google ADK", "PyPI", "adk_client", "google-adk", "litellm"],
];

type Start = { file: string; args: string[]; env?: Record<string, string> };
const starts: Record<Registry, (folder: string, program: string) => Start> = {
  npm: (folder, program) => ({ file: process.execPath, args: [join(folder, "programs", `${program}.mjs`)] }),
  PyPI: (folder, program) => ({
    file: join(folder, "environment", "bin", "python"),
    args: [join(programs, "python", `${program}.py`)],
    env: { PYTHONDONTWRITEBYTECODE: "1", PYTHONWARNINGS: "ignore" },
  }),
  Go: (folder) => ({ file: join(folder, "play"), args: [] }),
  Maven: (folder, program) => {
    const classes = ["classes", "dependency/*"].map((name) => join(folder, "target", name));
    return { file: "java", args: ["-cp", classes.join(delimiter), program] };
  },
};

export const libraries: NewestClient[] = declared.map(([name, registry, program, ...packages]) => ({
  name,
  registry,
  packages,
  program,
  steps: ({ task, place: { baseUrl, credential, model, modules, folder, home } }) => {
    const { file, args, env } = starts[registry](modules, program);
    const own = { ARCHWAY_URL: baseUrl, ARCHWAY_KEY: credential, ARCHWAY_MODEL: model };
    const vendors = { ANTHROPIC_BASE_URL: baseUrl, ANTHROPIC_API_KEY: credential };
    return [{ file, args: [...args, task], env: { HOME: home, ...quiet, ...own, ...vendors, ...env }, cwd: folder }];
  },
}));

/** Clients that want to look something up on the internet do without. */
export const quiet = {
  LITELLM_LOCAL_MODEL_COST_MAP: "True",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  CREWAI_DISABLE_TELEMETRY: "true",
  OTEL_SDK_DISABLED: "true",
  MASTRA_TELEMETRY_DISABLED: "1",
  HAYSTACK_TELEMETRY_ENABLED: "False",
  // As root Claude Code lets no tool run without being asked, unless it is told that it is in a sandbox.
  IS_SANDBOX: "1",
};
