// The active skills of the workspace, asked for again and again: whoever follows them is told once of each change.
import { Failure } from "../../command-line/failure.ts";
import { callerOf } from "../../sign-in/caller.ts";
import { invitationAdvice } from "../../sign-in/invitations.ts";
import { claimsOf } from "../../sign-in/platform/claims.ts";
import { accessToken, type Session } from "../../sign-in/session.ts";
import type { Skill, Version } from "../api/shapes.ts";
import type { SkillsApi } from "../api/skills-api.ts";

/** An activation reaches every colleague's assistant within this time. */
const pollMs = 60_000;
/** A client waits this long for the server to start, at most. */
const firstAnswerMs = 5_000;

export type Workspace = { slug: string; name: string };
/** An active skill with its active version, which never changes. */
export type ActiveSkill = { skill: Skill; version: number; digest: string };

type Listener = () => void;

export class ActiveSkills {
  readonly #session: Session;
  readonly #api: SkillsApi;
  readonly #listeners = new Set<Listener>();
  readonly #versions = new Map<string, Promise<Version>>();
  #workspace: (Workspace & { id: string | undefined }) | undefined;
  #tag: string | undefined;
  #skills: ActiveSkill[] = [];
  #refreshing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(session: Session, api: SkillsApi) {
    this.#session = session;
    this.#api = api;
  }

  /** The active skills as they were last read, by name. */
  get all(): readonly ActiveSkill[] {
    return this.#skills;
  }

  get workspace(): Workspace | undefined {
    return this.#workspace;
  }

  find(name: string): ActiveSkill | undefined {
    return this.#skills.find(({ skill }) => skill.name === name);
  }

  /** @returns what ends it */
  follow(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Asks at once and then every minute. Nobody signed in, or a platform that is away, leaves what is known. */
  start(): void {
    const ask = () => void this.refresh().catch(() => undefined);
    ask();
    this.#timer ??= setInterval(ask, pollMs);
    this.#timer.unref();
  }

  /** Ends with the platform's first answer, or without it where it is late: clients that follow no changes read the list of tools once. */
  async firstAnswer(): Promise<void> {
    if (this.#workspace) return;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, firstAnswerMs);
    });
    const asked = this.refresh().catch(() => undefined);
    await Promise.race([asked, late]).finally(() => clearTimeout(timer));
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Reads the active skills anew. Calls at the same time share one answer. @throws Failure */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /** The workspace that the token names. @throws Failure. */
  async currentWorkspace(): Promise<Workspace> {
    const id = claimsOf(await accessToken(this.#session, { silent: true }))?.tenant_id;
    if (this.#workspace && this.#workspace.id === id) return this.#workspace;
    const { me, platform } = await callerOf(this.#session, { silent: true });
    const membership = me.memberships.find(({ tenant_id }) => tenant_id === me.tenant_id);
    if (!membership?.tenant_slug) {
      const { consoleUrl } = platform;
      const advice = invitationAdvice(me, consoleUrl) || `create one in ${consoleUrl}, or ask for an invitation`;
      throw new Failure("failed", `you are in no workspace: ${advice}`);
    }
    const { tenant_slug: slug, tenant_name: name = slug } = membership;
    this.#workspace = { id: me.tenant_id, slug, name };
    // The tag that is kept is of the former workspace's list.
    this.#tag = undefined;
    return this.#workspace;
  }

  /** Reads the content of an active version. @throws Failure */
  contents({ skill: { name }, version, digest }: ActiveSkill): Promise<Version> {
    const known = this.#versions.get(digest);
    if (known) return known;
    const read = this.#api.version(name, version);
    this.#versions.set(digest, read);
    read.catch(() => this.#versions.delete(digest));
    return read;
  }

  async #refresh(): Promise<void> {
    await this.currentWorkspace();
    const answer = await this.#api.skills("active", this.#tag);
    if (!answer) return;
    this.#tag = answer.tag;
    const skills = answer.skills
      .flatMap((skill) => {
        const { active_version: version, digest } = skill;
        return version === undefined || digest === undefined ? [] : [{ skill, version, digest }];
      })
      .toSorted((one, other) => (one.skill.name < other.skill.name ? -1 : 1));
    const before = JSON.stringify(this.#skills);
    this.#skills = skills;
    for (const digest of this.#versions.keys())
      if (!skills.some((one) => one.digest === digest)) this.#versions.delete(digest);
    if (JSON.stringify(skills) === before) return;
    for (const listener of this.#listeners) listener();
  }
}
