// A client of the proxy, as `archway setup` sees it: what it is to be told, and in which files.

import type { Choice } from "../choice.ts";
import type { Machine } from "../machine/machine.ts";
import type { FileChange } from "../machine/settings-file.ts";
import type { Model, Platform, Workspace } from "../platform/platform.ts";

export type Setting = Choice & {
  machine: Machine;
  platform: Platform;
  /** Lets the person sign in once more for work that changes something at the platform. `why` says what. */
  changing: <T>(why: string, work: (platform: Platform) => Promise<T>) => Promise<T>;
  workspace: Workspace;
  /** The models that the person may call. */
  models: Model[];
  /** To be named with every call, if the platform's own choice is not granted or another is wanted. */
  region: string | undefined;
  profile: string;
  /** The command line that prints a token. */
  helper: HelperCommand;
  shell: string | undefined;
  /** Whether the settings are only shown and nothing is changed. */
  print: boolean;
};

/** A command, as a list of words and as a line for a shell. */
export type HelperCommand = { words: string[]; line: string };

export type SetupResult = {
  files?: FileChange[];
  /** Text for another program. */
  text?: string;
  /** Lines for people. */
  notes?: string[];
  /** How the client is asked a question, which is the last argument. */
  trial?: Trial;
};

export type Trial = { program: string; args: string[] };

/** @throws Failure, before anything is changed. */
export type Client = (setting: Setting) => Promise<SetupResult>;
