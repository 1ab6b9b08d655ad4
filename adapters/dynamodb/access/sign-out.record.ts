// The record of when a person signed out everywhere, apart from the person, because the proxy reads it and may know nothing else of people.
import * as z from "zod";
import { signOutRetention } from "../../../domain/access/sign-out.ts";
import { defineRecord } from "../record.ts";

export const signOutRecord = defineRecord({
  kind: "signOut",
  title: "sign-out",
  pk: "SIGNOUT#{sub}",
  sk: "SIGNOUT",
  schema: z.object({ sub: z.string(), signed_out_at: z.string() }),
  version: 1,
  life: signOutRetention,
  purge: { stays: "belongs to a person, and expires" },
  control: ["get", "put"],
  written:
    "when the person signs out everywhere, or replaces a forgotten password: tokens of sign-ins before `signed_out_at` are refused ([decision 43](decisions/0043-signing-out-everywhere.md))",
});
