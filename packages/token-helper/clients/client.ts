// A client of the proxy, as `archway setup` sees it: what it is to be told, and in which files.

import type { Machine } from "../../command-line/machine/machine.ts";
import type { FileChange } from "../../command-line/machine/settings-file.ts";
import type { CommandLine } from "../../command-line/own-command.ts";
import type { Platform } from "../../sign-in/platform/platform.ts";
import type { Choice } from "../choice.ts";
import type { Model } from "../models.ts";
import type { Workspace } from "../workspace.ts";

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
  helper: CommandLine;
  shell: string | undefined;
  /** Whether the settings are only shown and nothing is changed. */
  print: boolean;
};

export type SetupResult = {
  files?: FileChange[];
  /** Text for another program. */
  text?: string;
  /** Lines for people. */
  notes?: string[];
  /** What keeps the client from calling the platform though its settings name it, for people. */
  obstacles?: string[];
  /** How the client is asked a question, which is the last argument. */
  trial?: Trial;
};

/** `sessionId` is sent with the client's calls, if the client takes one. */
export type Trial = { program: string; args: string[]; sessionId?: string };

/** @throws Failure, before anything is changed. */
export type Client = (setting: Setting) => Promise<SetupResult>;
