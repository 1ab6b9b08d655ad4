// A display name: what people call a workspace or a key. It is shown in terminals, mails and pages, so it is plain text.
import * as z from "zod";

/** Control characters, formatting ones (they can reverse or hide text), line separators and lone surrogates. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;
/** Formatting characters that some scripts and emoji are written with. */
const joiners = /[\u200c\u200d]/g;

/** Trimmed, on one line and without markup. How long it may be is said where it is used. */
export const displayName = z
  .string()
  .trim()
  .refine((name) => !unprintable.test(name.replace(joiners, "")), "must not have control or invisible characters")
  .refine((name) => !/[<>]/.test(name), "must not have < or >");
