import { execFileSync } from "node:child_process";
import { expect, test } from "@jest/globals";
import { clients } from "../../../console/pages/start/clients.ts";

const connection = {
  baseUrl: "http://127.0.0.1:8787/@acme.proxy/vendor",
  key: "ar_live_k_secret",
  model: "claude-haiku-4-5",
};
const snippet = (id: string, shell: "posix" | "powershell") =>
  clients.find((client) => client.id === id)?.snippet(connection, shell) ?? "";

test("the console's curl command is one shell command with address, key and a JSON body", () => {
  const line = snippet("curl", "posix").replace(/^curl/, "printf '%s\\n'");
  const said = execFileSync("sh", ["-c", line], { encoding: "utf8" }).trim().split("\n");
  expect(said.slice(0, 6)).toEqual([
    ...["-N", `${connection.baseUrl}/v1/messages`, "-H", "x-api-key: ar_live_k_secret"],
    ...["-H", "content-type: application/json"],
  ]);
  expect(JSON.parse(said[7] ?? "")).toMatchObject({ model: "claude-haiku-4-5", stream: true });
});

test("the console's set-up of assistants gives address and key as shell variables", () => {
  expect(snippet("claude-code", "posix")).toContain(`export ANTHROPIC_BASE_URL='${connection.baseUrl}'`);
  expect(snippet("claude-code", "powershell")).toContain(`$env:ANTHROPIC_BASE_URL = '${connection.baseUrl}'`);
});

test("opencode's configuration contains the address with /v1, and only the variable of the key", () => {
  const [, json = ""] = /OPENCODE_CONFIG_CONTENT='(.*)'/.exec(snippet("opencode", "posix")) ?? [];
  expect(JSON.parse(json)).toMatchObject({
    provider: { anthropic: { options: { baseURL: `${connection.baseUrl}/v1`, apiKey: "{env:ARCHWAY_KEY}" } } },
    model: "anthropic/claude-haiku-4-5",
  });
});

test.each(["posix", "powershell"] as const)(
  "Continue's configuration contains only the variable of the key, in %s",
  (shell) => {
    const text = snippet("continue", shell);
    const [, json = ""] = /'(\{.*\})'/.exec(text) ?? [];
    expect(JSON.parse(json).models).toMatchObject([
      { apiBase: `${connection.baseUrl}/v1/`, apiKey: `\${{ secrets.ARCHWAY_KEY }}`, model: "claude-haiku-4-5" },
    ]);
    expect(text.split(connection.key)).toHaveLength(2);
    expect(text).toContain("cn -p 'What is an archway?' --config archway.yaml");
  },
);
