// What to type for each client, so that its first call works. The addresses come from the platform; the key is the one just made.

export type Shell = "posix" | "powershell";
export type Connection = { baseUrl: string; key: string; model: string };
export type Client = {
  id: string;
  title: string;
  /** Set for a coding assistant: its first question tells the model of its tools, which are tens of thousands of tokens. */
  isAssistant?: true;
  snippet: (connection: Connection, shell: Shell) => string;
};

const variable = (shell: Shell, name: string, value: string) =>
  shell === "posix" ? `export ${name}='${value}'` : `$env:${name} = '${value}'`;

const environment = (shell: Shell, values: Record<string, string>, command: string) =>
  [...Object.entries(values).map(([name, value]) => variable(shell, name, value)), command].join("\n");

export const clients: readonly Client[] = [
  {
    id: "curl",
    title: "curl",
    snippet: ({ baseUrl, key, model }, shell) => {
      const body = JSON.stringify({
        model,
        max_tokens: 300,
        stream: true,
        messages: [{ role: "user", content: "What is an archway?" }],
      });
      const [name, mark] = shell === "posix" ? ["curl", "\\"] : ["curl.exe", "`"];
      return [
        `${name} -N ${baseUrl}/v1/messages ${mark}`,
        `  -H 'x-api-key: ${key}' ${mark}`,
        `  -H 'content-type: application/json' ${mark}`,
        `  -d '${shell === "posix" ? body : body.replaceAll('"', '\\"')}'`,
      ].join("\n");
    },
  },
  {
    id: "claude-code",
    title: "Claude Code",
    isAssistant: true,
    snippet: ({ baseUrl, key, model }, shell) =>
      environment(
        shell,
        { ANTHROPIC_BASE_URL: baseUrl, ANTHROPIC_AUTH_TOKEN: key, ANTHROPIC_MODEL: model },
        `claude -p 'What is an archway?'`,
      ),
  },
  {
    id: "opencode",
    title: "opencode",
    isAssistant: true,
    snippet: ({ baseUrl, key, model }, shell) => {
      const config = JSON.stringify({
        provider: {
          anthropic: {
            options: { baseURL: `${baseUrl}/v1`, apiKey: "{env:ARCHWAY_KEY}" },
            // opencode knows no model that is younger than itself.
            models: { [model]: { name: model } },
          },
        },
        model: `anthropic/${model}`,
      });
      return environment(
        shell,
        { ARCHWAY_KEY: key, OPENCODE_CONFIG_CONTENT: config },
        `opencode run 'What is an archway?'`,
      );
    },
  },
  {
    id: "continue",
    title: "Continue",
    isAssistant: true,
    snippet: ({ baseUrl, key, model }, shell) => {
      // JSON is YAML too.
      const config = JSON.stringify({
        ...{ name: "Archway", version: "0.0.1", schema: "v1" },
        models: [
          {
            ...{ name: "Archway", provider: "anthropic", model, roles: ["chat"] },
            ...{ apiBase: `${baseUrl}/v1/`, apiKey: `\${{ secrets.ARCHWAY_KEY }}` },
          },
        ],
      });
      const write = shell === "posix" ? `echo '${config}' > archway.yaml` : `'${config}' | Set-Content archway.yaml`;
      return environment(shell, { ARCHWAY_KEY: key }, `${write}\ncn -p 'What is an archway?' --config archway.yaml`);
    },
  },
  {
    id: "typescript",
    title: "TypeScript",
    snippet: ({ baseUrl, key, model }, shell) =>
      `${environment(shell, { ANTHROPIC_BASE_URL: baseUrl, ANTHROPIC_API_KEY: key }, "npm install @anthropic-ai/sdk")}

// first-call.mjs
import Anthropic from "@anthropic-ai/sdk";
const stream = new Anthropic().messages.stream({
  model: "${model}",
  max_tokens: 300,
  messages: [{ role: "user", content: "What is an archway?" }],
});
for await (const event of stream) {
  if (event.type === "content_block_delta" && event.delta.type === "text_delta") process.stdout.write(event.delta.text);
}`,
  },
  {
    id: "python",
    title: "Python",
    snippet: ({ baseUrl, key, model }, shell) =>
      `${environment(shell, { ANTHROPIC_BASE_URL: baseUrl, ANTHROPIC_API_KEY: key }, "pip install anthropic")}

# first_call.py
import anthropic
with anthropic.Anthropic().messages.stream(
    model="${model}",
    max_tokens=300,
    messages=[{"role": "user", "content": "What is an archway?"}],
) as stream:
    for text in stream.text_stream:
        print(text, end="", flush=True)`,
  },
];
