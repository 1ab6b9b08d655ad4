// All plays by name. Each is played with people and a workspace of its own: `npm run check:browser -- NAME ...` plays some of them.
import { busyWorkspace } from "./figures/busy-workspace.ts";
import { many } from "./figures/many.ts";
import { numbers } from "./figures/numbers.ts";
import { speed } from "./figures/speed.ts";
import { approval } from "./sign-in/approval.ts";
import { callbackTwice, forgedCallback, forgedReturn } from "./sign-in/callback.ts";
import { signOut, signOutEverywhere, tokenEndsInForm } from "./sign-in/ending.ts";
import { firstRun, firstRunByKeyboard, firstRunRestless, firstRunWithGoogle } from "./sign-in/first-run.ts";
import { googleJoins } from "./sign-in/google.ts";
import { forgottenPassword, secondFactor, signUpPages } from "./sign-in/hosted.ts";
import { invitedTwice } from "./sign-in/invitations.ts";
import { scriptsOff } from "./sign-in/scripts-off.ts";
import { duplicatedTab, twoTabs } from "./sign-in/tabs.ts";
import { waitsForCall } from "./sign-in/waiting.ts";
import type { Stage } from "./stage.ts";
import { mcp } from "./tools/mcp.ts";
import { runs } from "./tools/runs.ts";
import { skills } from "./tools/skills.ts";
import { apiAway, apiRefuses, apiSlow } from "./trouble/api.ts";
import { doubleClick, escLosesNoKey } from "./trouble/clicks.ts";
import { wrongClock } from "./trouble/clock.ts";
import { oneName, strainedNames } from "./trouble/names.ts";
import { replacedScript } from "./trouble/release.ts";
import { stripeDown } from "./trouble/stripe.ts";
import { budget } from "./workspace/budget.ts";
import { copiedCommands } from "./workspace/copied-commands.ts";
import { everyDialog } from "./workspace/every-dialog.ts";
import { everyPage } from "./workspace/every-page.ts";
import { invoices } from "./workspace/invoices.ts";
import { payment } from "./workspace/payment.ts";
import { serviceAccount } from "./workspace/service-account.ts";
import { suspendedAndActive } from "./workspace/suspended.ts";
import { twoPeople } from "./workspace/two-people.ts";

/** @returns what was not as it should be, if it throws nothing */
export type Play = (stage: Stage) => Promise<string[]> | Promise<void>;

export const plays: Readonly<Record<string, readonly [title: string, play: Play]>> = {
  "first-run": ["First run", firstRun],
  "first-run-keyboard": ["First run by the keyboard alone, 390 px wide", firstRunByKeyboard],
  "first-run-google": ["First run signed up with Google, by the keyboard alone, 390 px wide", firstRunWithGoogle],
  "first-run-restless": ["First run with a reload, Back and Forward at every step", firstRunRestless],
  "waits-for-call": ["The page of the first call while it waits", waitsForCall],
  "copied-commands": ["The first run's command of each client, as it was copied", copiedCommands],
  "sign-up-pages": ["The sign-in host's pages, and what they refuse", signUpPages],
  "forgotten-password": ["A forgotten password", forgottenPassword],
  "second-factor": ["An authenticator app, set up in the console and asked for", secondFactor],
  "google-joins": ["Google joins an invitation, once it has verified the address", googleJoins],
  "invited-twice": ["A company and a stranger invite the same newcomer", invitedTwice],
  "sign-out": ["Signing out ends the refresh token, and Back shows nothing", signOut],
  "sign-out-everywhere": ["Signing out everywhere, in two browsers", signOutEverywhere],
  "token-ends": ["A token that ends within a form, and a sign-in that is over", tokenEndsInForm],
  "forged-callback": ["A forged callback, code and state", forgedCallback],
  "callback-twice": ["The callback opened again, and in another tab", callbackTwice],
  "forged-return": ["A forged address to return to", forgedReturn],
  "two-tabs": ["Two tabs, one of which changes the workspace", twoTabs],
  "duplicated-tab": ["A duplicated tab", duplicatedTab],
  approval: ["Somebody who waits for approval", approval],
  "scripts-off": ["Scripts off", scriptsOff],
  "two-people": ["An invitation with a grant like somebody's", twoPeople],
  budget: ["A budget at 80 %, spent, raised; its person removed", budget],
  "service-account": ["A service account: its bar, its limits changed, a rotation with overlap", serviceAccount],
  "suspended-and-active": ["A member of one suspended and one active workspace", suspendedAndActive],
  payment: ["A payment method, the provider's message late; taken away in its portal", payment],
  "every-page": ["Every page of each role", everyPage],
  "every-dialog": ["Every dialog", everyDialog],
  mcp: ["MCP", mcp],
  skills: ["Skills", skills],
  runs: ["Runs of a skill", runs],
  "wrong-clock": ["Clocks that are a day wrong", wrongClock],
  "double-click": ["A double click makes one thing", doubleClick],
  "esc-loses-no-key": ["Esc loses no key", escLosesNoKey],
  "api-refuses": ["A platform that answers 429, 503 and HTML", apiRefuses],
  "api-slow": ["A platform that is slow", apiSlow],
  "api-away": ["A platform that is away", apiAway],
  "replaced-script": ["A page whose script a release replaced", replacedScript],
  "strained-names": ["Names of markup, emoji and right-to-left text", strainedNames],
  "one-name": ["Two owners who want one name at once", oneName],
  "stripe-down": ["Stripe down: every other page works", stripeDown],
  "busy-workspace": ["Every page of a workspace in its fourth week", busyWorkspace],
  many: ["5,000 keys and 2,000 people", many],
  numbers: ["Numbers of a month on its last day, in three zones", numbers],
  speed: ["Speed, of a phone on a slow connection", speed],
  invoices: ["A month's invoice, its PDF and the file of all", invoices],
};
