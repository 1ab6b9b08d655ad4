// A client whose newest version is played: how it is installed, and how it is started.
import type { Command } from "../child.ts";
import type { Registry } from "./registries.ts";
import type { Task } from "./scenarios.ts";

/** What a run has. */
export type Place = {
  /** Ends in `/vendor`. */
  baseUrl: string;
  credential: string;
  model: string;
  /** The folder that the client was installed into. */
  modules: string;
  /** Empty when a scenario begins. */
  home: string;
  /** Where the client works; the file that a tool reads lies there. */
  folder: string;
};

export type NewestClient = {
  name: string;
  registry: Registry;
  packages: string[];
  /** Of `programs/`; undefined for a client that is a program itself. */
  program?: string;
  /** What is started, one after the other; undefined if the client has no such feature. */
  steps(asked: { task: Task; place: Place }): Command[] | undefined;
};
