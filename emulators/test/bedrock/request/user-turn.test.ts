import { describe, expect, test } from "@jest/globals";
import type { RequestBody } from "../../../bedrock/request/body-schema.ts";
import type { Tool } from "../../../bedrock/request/tool-schema.ts";
import { givenInput, lastUserTurn, namedTool, withoutName } from "../../../bedrock/request/user-turn.ts";

const text = (words: string) => ({ type: "text", text: words });
const user = (...content: object[]) => ({ role: "user", content });
const use = { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "Bash", input: {} }] };
const result = { type: "tool_result", tool_use_id: "t1", content: "done; now call Read" };
const turnOf = (...messages: object[]) => lastUserTurn({ messages } as unknown as RequestBody);

describe("the question is the user's own words", () => {
  test("the person's question is found between Claude Code's reminders", () => {
    const reminder = "<system-reminder>\nUse the Read tool, not Bash.\n</system-reminder>";
    expect(turnOf(user(text(reminder), text("What is an arch?"), text(reminder))).question).toBe("What is an arch?");
    expect(turnOf(user(text(`${reminder}\nWhat is an arch?\n${reminder}`))).question).toBe("What is an arch?");
    expect(turnOf({ role: "user", content: `${reminder}What is an arch?` }).question).toBe("What is an arch?");
  });

  test.each([
    "<task-notification><task-id>b1</task-id><summary>Background Bash finished, use TaskOutput</summary></task-notification>",
    "<system-reminder>\n[SYSTEM NOTIFICATION - NOT USER INPUT]\nCall Read.\n<task-notification>\n<task-id>b1</task-id>\nBash is done\n</task-notification>\n</system-reminder>",
    "<bash-stdout>Read it</bash-stdout><bash-stderr></bash-stderr>",
    "<local-command-stdout>Bash</local-command-stdout>",
    '<file path="a.txt">\ncall Bash\n</file>',
  ])("the person's question does not contain notifications, outputs and files: %s", (wrapped) => {
    expect(turnOf(user(text(wrapped))).question).toBe("");
  });

  test("the person's question contains a tag that is never closed", () => {
    expect(turnOf(user(text("What does <br> mean, <b>in short</b>, and <p>?"))).question).toBe(
      "What does <br> mean, , and <p>?",
    );
    expect(turnOf(user(text("<p>".repeat(200_000)))).question).toHaveLength(600_000);
  });

  test("the person's question does not contain the quotes that opencode puts around a prompt", () => {
    expect(turnOf(user(text('"Use read {\\"filePath\\": \\"a.txt\\"}"'))).question).toBe(
      'Use read {"filePath": "a.txt"}',
    );
    const nested = 'Use task {"prompt": "Use read {\\"filePath\\": 1}"}';
    expect(turnOf(user(text(`"${nested.replaceAll('"', '\\"')}"`))).question).toBe(nested);
    expect(turnOf(user(text('"One" and "two"'))).question).toBe('"One" and "two"');
  });

  test("the person's question does not contain opencode's text for an attached file", () => {
    const called = text('Called the Read tool with the following input: {"filePath":"/a.txt"}');
    const turn = turnOf(user(text("What is in it?"), called));
    expect(namedTool(turn.question, [{ name: "read" } as Tool])).toBeUndefined();
  });

  test("the person's question does not contain earlier turns and later system turns", () => {
    const system = { role: "system", content: "Use Bash" };
    expect(turnOf(user(text("Use Bash")), use, user(result), system).question).toBe("");
    expect(turnOf(user(text("Use Bash")), { role: "assistant", content: "No." }, user(text("Why?"))).question).toBe(
      "Why?",
    );
  });

  test("the person's question can be in any user message after the model's last message", () => {
    const turn = turnOf(user(text("Use Bash")), use, user(result), user(text("Go on")));
    expect(turn).toEqual({ question: "Go on", results: [{ tool: "Bash", text: "done; now call Read" }] });
  });

  test("the person's question is found even if the client begins the answer", () => {
    expect(turnOf(user(text("Why?")), { role: "assistant", content: "Because" }).question).toBe("Why?");
  });
});

describe("a tool is named", () => {
  const tools = ["Task", "TaskOutput", "Read", "mcp__files__read"].map((name) => ({ name }) as Tool);

  test.each([
    ["Use Read on a.txt", "Read"],
    ["Call mcp__files__read.", "mcp__files__read"],
    ["With `TaskOutput`, then Task", "TaskOutput"],
    ["First Task, then Read", "Task"],
  ])("a question names a tool by %p", (question, name) => {
    expect(namedTool(question, tools)?.name).toBe(name);
  });

  test.each(["Readme", "Tasks of a reader", "pre-Read", "read it", ""])(
    "a question does not name a tool by %p",
    (question) => {
      expect(namedTool(question, tools)).toBeUndefined();
    },
  );
});

test("the task of a subagent does not name the tool that started the subagent", () => {
  const task = { name: "Task" } as Tool;
  expect(withoutName("Use the Task tool to list files with Glob", task)).toBe("Use the tool to list files with Glob");
});

describe("a tool's input", () => {
  const read = { name: "Read" } as Tool;

  test.each([
    ['Use Read {"file_path": "/tmp/a.txt"} please', { file_path: "/tmp/a.txt" }],
    ['With the Read tool {"file_path": "a.txt"}', { file_path: "a.txt" }],
    ['Read\n{"nested": {"brace": "}"}, "list": [{}]} }', { nested: { brace: "}" }, list: [{}] }],
  ])("a tool's input is the JSON after the tool's name: %s", (question, input) => {
    expect(givenInput(question, read)).toEqual(input);
  });

  test.each(["Use Read on {}", "Read {not json}", "Read {", "Read"])(
    "the model host chooses a tool's input for %s",
    (question) => {
      expect(givenInput(question, read)).toBeUndefined();
    },
  );
});
