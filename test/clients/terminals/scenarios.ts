// What people do in a terminal, as data and steps.
import { setTimeout as sleep } from "node:timers/promises";
import type { Stack } from "../../../local/running-stack.ts";
import { secretOfTheFile } from "../scenarios.ts";
import { type AssistantName, assistants } from "./assistants.ts";
import { bare, type Someone } from "./person.ts";
import type { Seat } from "./seat.ts";
import { keys, size } from "./terminal.ts";

export type Scene = {
  me: Someone;
  seat: Seat;
  stack: Stack;
  name: AssistantName;
  /** Asks and looks for the answer of the local model host, which quotes the question. */
  answered(question: string): Promise<void>;
  /** Notes what is not as it should be. */
  wrong(problem: string): void;
};

export type TerminalScenario = {
  name: string;
  assistants: readonly AssistantName[];
  /** The ways of signing in with which the scenario is played; `setup` alone unless given. */
  ways?: readonly ("key" | "setup")[];
  play(scene: Scene): Promise<void>;
};

const claude = ["claude-code", "claude-code-2.1.197"] as const;
const all = [...claude, "opencode", "continue"] as const;

async function start({ me, seat }: Scene, ...args: string[]): Promise<void> {
  await me.start(seat.command(args));
}

/** Slow enough that somebody can act in the middle of an answer. */
const slowly = { outputTokens: 150, tokensPerEvent: 3, millisecondsPerToken: 30 };
const usual = { outputTokens: undefined, tokensPerEvent: 4, millisecondsPerToken: 0 };

/** The host answers slowly from here on; a question is asked, and its answer is seen to begin. */
async function seesAnswerBegin(scene: Scene): Promise<void> {
  scene.stack.bedrock.configure(slowly);
  await scene.me.write("What is an arch?");
  await scene.me.press(keys.enter);
  if (!(await scene.me.sees(/played by/))) scene.wrong("no answer began");
}

export const terminalScenarios: TerminalScenario[] = [
  {
    name: "first start in an empty home, a question, quitting",
    assistants: all,
    ways: ["key", "setup"],
    play: async (scene) => {
      await start(scene);
      await scene.answered("What is an arch?");
      const code = await scene.me.quit();
      if (code !== 0) scene.wrong(`quitting ended with ${code}`);
    },
  },
  {
    name: "a tool that reads a file",
    assistants: all,
    play: async (scene) => {
      await start(scene);
      await asks(scene, "Use the tool Read, or read, once.", secretOfTheFile);
      await scene.answered("And a vault?");
    },
  },
  {
    name: "a tool that asks for permission",
    assistants: all,
    play: async (scene) => {
      const isClaude = scene.name.startsWith("claude");
      await start(scene, ...(isClaude ? ["--permission-mode", "default"] : []));
      await asks(scene, "Use the tool Bash, or bash, once.", /The tool [Bb]ash answered/);
      await scene.answered("And a vault?");
    },
  },
  {
    name: "a tool in auto mode",
    assistants: ["claude-code"],
    play: async (scene) => {
      await start(scene);
      await asks(scene, "Use the tool Bash once.", /The tool Bash answered/);
      if (/can't check actions|isn't getting through/.test(scene.me.text))
        scene.wrong("auto mode cannot check actions");
      await scene.answered("And a vault?");
    },
  },
  {
    name: "/model, and on",
    assistants: claude,
    play: async (scene) => {
      await start(scene);
      await scene.answered("What is an arch?");
      await scene.me.ask("/model opus");
      await scene.answered("And a vault?");
      if (!isSeen(scene, /This is claude-opus/)) scene.wrong("the model stayed the same");
      await scene.me.write("/model");
      await scene.me.press(keys.enter);
      if (!(await scene.me.sees(/Select model/i))) scene.wrong("/model shows no list");
      await scene.me.press(keys.escape);
      await scene.me.rest("/model");
      await scene.answered("And a dome?");
    },
  },
  {
    name: "/compact, and on",
    assistants: ["claude-code", "claude-code-2.1.197", "opencode"],
    play: async (scene) => {
      await start(scene);
      for (const question of ["What is an arch?", "And a vault?", "And a dome?"]) await scene.answered(question);
      await scene.me.ask("/compact");
      await scene.answered("And a pillar?");
      await scene.answered("And a lintel?");
    },
  },
  {
    name: "/effort twice, and on",
    assistants: ["claude-code", "claude-code-2.1.197"],
    play: async (scene) => {
      await start(scene);
      await scene.answered("What is an arch?");
      await scene.me.ask("/effort high");
      await scene.answered("And a vault?");
      await scene.me.ask("/effort low");
      await scene.answered("And a dome?");
      await scene.answered("And a pillar?");
    },
  },
  {
    name: "/context",
    assistants: claude,
    play: async (scene) => {
      await start(scene);
      await scene.answered("What is an arch?");
      await asks(scene, "/context", /context usage/i);
    },
  },
  {
    name: "--continue after quitting",
    assistants: ["claude-code", "claude-code-2.1.197", "opencode", "continue"],
    play: async (scene) => {
      await start(scene);
      await scene.answered("What is an arch?");
      await scene.me.quit();
      await start(scene, scene.name === "continue" ? "--resume" : "--continue");
      if (!isSeen(scene, "What is an arch?")) scene.wrong("the conversation is not shown");
      await scene.answered("And a vault?");
    },
  },
  {
    name: "stopped in mid-answer, and on",
    assistants: all,
    play: async (scene) => {
      await start(scene);
      await seesAnswerBegin(scene);
      await scene.me.press(...assistants[scene.name].stop);
      await scene.me.rest("stopped");
      scene.stack.bedrock.configure(usual);
      await scene.answered("And a vault?");
    },
  },
  {
    name: "the window resized in mid-answer, and on",
    assistants: all,
    play: async (scene) => {
      await start(scene);
      await seesAnswerBegin(scene);
      for (const [rows, columns] of [
        [24, 80],
        [50, 160],
        [size.rows, size.columns],
      ] as const) {
        scene.me.terminal.resize(rows, columns);
        await sleep(300);
      }
      await scene.me.rest("resized");
      scene.stack.bedrock.configure(usual);
      await scene.answered("And a vault?");
    },
  },
];

async function asks(scene: Scene, question: string, answer: string | RegExp): Promise<void> {
  if (!(await scene.me.ask(question, () => isSeen(scene, answer)))) scene.wrong(`not seen: ${answer}`);
}

function isSeen({ me }: Scene, what: string | RegExp): boolean {
  return typeof what === "string" ? bare(me.text).includes(bare(what)) : what.test(spaced(me.text));
}

/** A line that the window broke is one again. */
export function spaced(text: string): string {
  return text.replaceAll(/[\s│┃║⎿|]+/g, " ");
}
