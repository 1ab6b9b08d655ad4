// How mails name a workspace: somebody chose the name, and the reader may be a stranger.
import { nameInMail } from "../kernel/mail.ts";

export type Workspace = { name: string; slug: string };

/** A name that is all punctuation leaves nothing; the slug has letters, digits and hyphens only. */
export function shortName({ name, slug }: Workspace): string {
  return nameInMail(name) || slug;
}

export function fullName({ name, slug }: Workspace): string {
  const shown = nameInMail(name);
  return shown ? `${shown} (${slug})` : slug;
}
