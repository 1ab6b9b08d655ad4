// The token helper, as its sign-in knows it.
import type { Program } from "../command-line/home.ts";

export const archway: Program = { name: "archway", appClient: "token_helper" };
