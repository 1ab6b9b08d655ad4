// The mail that a model ends which the workspace calls.
import type { Platform, Words } from "./words.ts";
import { fullName, type Workspace } from "./workspace-name.ts";

type ModelEnd = {
  workspace: Workspace;
  model: string;
  display_name: string;
  at: "host" | "vendor";
  /** `2027-01-22` */
  last_day: string;
  successor?: string | undefined;
};

const spoken = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });

export function modelEnd(
  { workspace, model, display_name, at, last_day, successor }: ModelEnd,
  platform: Platform,
): Words {
  const day = spoken.format(Date.parse(last_day));
  const what =
    at === "host"
      ? `${display_name} (${model}) can be called until ${day} (UTC). After that its calls are refused (404 model_unknown).`
      : `${display_name} (${model}) ends at its vendor's own API on ${day} (UTC). Here it can still be called after that day, until another mail names a last day.`;
  return {
    subject: `${display_name} ends on ${day} (${workspace.slug})`,
    parts: [
      `Workspace: ${fullName(workspace)} on ${platform.brand}`,
      what,
      successor === undefined
        ? "Choose another model for what calls it."
        : `Its successor is ${successor}: grant it to your callers, and name it where ${model} is named.`,
      { label: "See the models", link: `${platform.consoleUrl}/models` },
      "You get this mail because you own the workspace, and it called the model within the last hours.",
    ],
  };
}
