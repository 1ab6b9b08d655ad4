// `archway usage`: what is left of the month's budget, when it begins anew, and which models it is for.
import { type Command, textOf } from "../command.ts";
import { oneLine } from "../failure.ts";
import { Platform, type Workspace, workspaceOf } from "../platform.ts";
import { accessToken, describe, openSession } from "../session.ts";

export const usage: Command = async (machine, options) => {
  const session = openSession(machine, textOf(options, "profile"));
  const token = await accessToken(session);
  const workspace = workspaceOf(await new Platform(describe(session), token).me());
  machine.out(options.json ? `${JSON.stringify(workspace, null, 2)}\n` : lines(workspace));
  return 0;
};

function lines({ name, slug, role, budget }: Workspace): string {
  const { left_usd, limit_usd, spent_usd, reserved_usd = 0, month, regions, default_region } = budget;
  const left = typeof left_usd === "number" ? `${usd(left_usd)} of ${usd(limit_usd ?? 0)}` : "no limit of your own";
  const rows: [string, string][] = [
    ["Workspace", `${name} (${slug}), ${role}`],
    ["Left", budget.workspace_capped ? "nothing: the workspace's own limit is reached" : left],
    ["Spent", `${usd(spent_usd)} in ${month}${reserved_usd > 0 ? `, ${usd(reserved_usd)} in flight` : ""}`],
    ["Resets", budget.resets_at],
    ["Models", budget.models.join(", ")],
    ["Regions", regions.map((region) => (region === default_region ? `${region} (default)` : region)).join(", ")],
  ];
  return rows.map(([title, value]) => `${title.padEnd(10)} ${oneLine(value)}\n`).join("");
}

function usd(amount: number): string {
  return `${amount.toFixed(2)} USD`;
}
