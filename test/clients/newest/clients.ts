// The clients whose newest versions are played, and those that are not.
import { assistants } from "./assistants.ts";
import type { NewestClient } from "./client.ts";
import { libraries } from "./libraries.ts";

export const newestClients: NewestClient[] = [...assistants, ...libraries];

/** Known clients that are not played. */
export const notPlayed: Record<string, string> = {
  "Anthropic SDK, Ruby, C# and PHP": "their registries are not used by this project",
  Crush: "its npm package downloads the program from elsewhere when it is installed",
  "mini-swe-agent": "it ends when the model calls its own command, which the local model host does not",
  goose: "no package has the program",
  "Roo Code": "an extension of an editor",
  Zed: "an editor",
  Cursor: "an editor",
};
