// `archway usage`: what is left of the month's budget, when it begins anew, and which models it is for.

import { type Command, textOption } from "../../command-line/command.ts";
import { exitCodes, Failure, oneLine } from "../../command-line/failure.ts";
import { callerOf } from "../../sign-in/caller.ts";
import { sayInvitations } from "../../sign-in/invitations.ts";
import { type Budget, type FreeCredit, onlyCredit, type Platform } from "../../sign-in/platform/platform.ts";
import { openSession } from "../../sign-in/session.ts";
import { chooseRegion, regionOf } from "../choice.ts";
import { type Model, modelsIn } from "../models.ts";
import { type Workspace, workspaceOf } from "../workspace.ts";

type Row = [string, string];

export const usage: Command = async (machine, options) => {
  const session = openSession(machine, textOption(options, "profile"));
  const { platform, me } = await callerOf(session);
  const workspace = workspaceOf(me, platform.consoleUrl);
  const credit = onlyCredit(me);
  if (options.json) {
    machine.out(`${JSON.stringify({ ...workspace, ...(credit && { free_credit: credit }) }, null, 2)}\n`);
  } else {
    const callable = await modelsServed(platform, workspace);
    machine.out(lines(workspace, callable, credit));
  }
  sayInvitations(machine, me, platform.consoleUrl);
  return 0;
};

/** None where the usual region serves none of those that are granted, which the proxy refuses. */
async function modelsServed(platform: Platform, { slug, budget }: Workspace): Promise<Model[]> {
  try {
    return await modelsIn(platform, slug, usualRegion(budget));
  } catch (error) {
    if (error instanceof Failure && error.exitCode === exitCodes.failed) return [];
    throw error;
  }
}

function usualRegion(budget: Budget): string {
  return regionOf(budget, chooseRegion(budget));
}

/**
 * @param callable the models that the usual region serves
 * @param credit of a workspace that has nothing else to pay with
 */
function lines({ name, slug, role, budget }: Workspace, callable: Model[], credit: FreeCredit | undefined): string {
  const { left_usd, limit_usd, spent_usd, reserved_usd, month, regions, default_region } = budget;
  const left = left_usd === undefined ? "no limit of your own" : `${usd(left_usd)} of ${usd(limit_usd ?? 0)}`;
  const isCallable = (id: string) => callable.some((model) => model.id === id);
  const models = budget.models.filter(isCallable);
  const elsewhere = budget.models.filter((id) => !isCallable(id));
  const rows: Row[] = [
    ["Workspace", `${name} (${slug}), ${role}`],
    ["Left", budget.workspace_capped ? "nothing: the workspace's own limit is reached" : left],
    ...(credit ? [["Credit", creditWords(credit)] as Row] : []),
    ["Spent", `${usd(spent_usd)} in ${month}${reserved_usd > 0 ? `, ${usd(reserved_usd)} in flight` : ""}`],
    ["Resets", budget.resets_at],
    ["Models", models.join(", ") || "none"],
    ...(elsewhere.length > 0 ? [["Elsewhere", `${elsewhere.join(", ")}: not in ${usualRegion(budget)}`] as Row] : []),
    ["Regions", regions.map((region) => (region === default_region ? `${region} (default)` : region)).join(", ")],
  ];
  return rows.map(([title, value]) => `${title.padEnd(10)} ${oneLine(value)}\n`).join("");
}

function creditWords({ left_tokens: left, granted_tokens: granted }: FreeCredit): string {
  return `${left} of ${granted} tokens, and nothing beyond them until the workspace has a payment method`;
}

function usd(amount: number): string {
  return `${amount.toFixed(2)} USD`;
}
