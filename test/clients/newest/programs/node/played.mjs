// What a scenario is played with. A program calls `play` with a function for each scenario that its library has a feature for.
const environment = (name) => process.env[name] ?? "";

export const url = environment("ARCHWAY_URL");
export const key = environment("ARCHWAY_KEY");
export const model = environment("ARCHWAY_MODEL");

export const question = "What is an arch?";
export const turns = Array.from({ length: 8 }, (_, index) => `What is arch number ${index + 1}?`);
export const longText = "A long text about arches. ".repeat(1_000);
export const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
export const useTool = "Use read_keystone.";
export const description = "Reads the keystone's inscription";
export const inscription = "seventeen keystones";
export const adaptive = { type: "adaptive" };

const noSuchFeature = 64;

export async function play(scenarios) {
  const scenario = scenarios[process.argv[2] ?? ""];
  if (!scenario) process.exit(noSuchFeature);
  process.stdout.write(`${await scenario()}\n`);
  process.exit(0);
}

/** What the last of several calls gives. */
export async function twice(act) {
  await act();
  return act();
}
