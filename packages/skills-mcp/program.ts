// The skills server, as its sign-in knows it.
import type { Program } from "../command-line/home.ts";

export const archwaySkills: Program = { name: "archway-skills", appClient: "skills" };
