// A display name of a workspace or a key. It is shown in terminals, mails and pages, so it is plain text.
import * as z from "zod";

/** Control characters, formatting characters (which can reverse or hide text), line separators and lone surrogates. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;
/** Formatting characters that some scripts and emoji need. */
const joiners = /[\u200c\u200d]/g;

/** A trimmed name on one line without markup. Each use adds its own limit of length. */
export const displayName = z
  .string()
  .trim()
  .refine((name) => !unprintable.test(name.replace(joiners, "")), "must not have control or invisible characters")
  .refine((name) => !/[<>]/.test(name), "must not have < or >");
