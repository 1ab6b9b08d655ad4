// What a server's tools work with, made once for all of its connections.
import type { Session } from "../../sign-in/session.ts";
import { SkillsApi } from "../api/skills-api.ts";
import { LocalPages } from "../pages/local-pages.ts";
import type { Services } from "../tools/tool.ts";
import { ActiveSkills } from "./active-skills.ts";
import { Person } from "./person.ts";
import { SignInHere } from "./sign-in-here.ts";

type Options = {
  workingDirectory: string;
  /** Which of the client's scopes a sign-in asks for. */
  scopes?: (scope: string) => boolean;
};

export function servicesOf(session: Session, { workingDirectory, scopes }: Options): Services {
  const { machine } = session;
  const api = new SkillsApi(session);
  const active = new ActiveSkills(session, api);
  const person = new Person(machine);
  const signIn = new SignInHere(session, person, () => active.refresh(), scopes);
  return { machine, workingDirectory, api, active, pages: new LocalPages(), person, signIn };
}
