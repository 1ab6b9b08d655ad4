import { expect, test } from "@jest/globals";
import { Resources } from "../../../emulators/pulumi/resources.ts";
import { localConsole, withLocalConsole } from "../../../local/program/local-console.ts";

test("values of the program contain the console's local address, at any depth, and nothing else changes", () => {
  const declared = {
    type: "aws:cognito/userPoolClient:UserPoolClient",
    name: "console",
    inputs: {
      callbackUrls: ["https://console.localhost/callback", "http://localhost:5173/callback"],
      size: 3,
      none: null,
    },
    outputs: { environment: { variables: { CONSOLE_URL: "https://console.localhost", API: "https://api.localhost" } } },
  };
  const program = {
    resources: new Resources([declared]),
    exports: { consoleUrl: "https://console.localhost" },
    region: "eu-central-1",
  };
  const moved = withLocalConsole(program, 8790);
  expect(moved.exports).toEqual({ consoleUrl: "http://console.localhost:8790" });
  expect(moved.resources.ofType(declared.type)).toEqual([
    {
      ...declared,
      inputs: {
        ...declared.inputs,
        callbackUrls: ["http://console.localhost:8790/callback", "http://localhost:5173/callback"],
      },
      outputs: { environment: { variables: { CONSOLE_URL: localConsole(8790), API: "https://api.localhost" } } },
    },
  ]);
  // The evaluation is remembered and shared.
  expect(program.resources.ofType(declared.type)).toEqual([declared]);
});
