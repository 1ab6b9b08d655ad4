// opencode: a server in its settings, a sign-in by the browser that it opens, and an answer through the proxy that calls its tools.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { installedVersion, openCodeBinary } from "../commands.ts";
import { callingSteps, type McpClient, type Place, signInAt } from "./client.ts";

const server = "archway";

export const openCode: McpClient = {
  name: "opencode",
  version: () => installedVersion("opencode"),
  steps(place) {
    const file = openCodeBinary();
    const env = {
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      // It cannot open a browser here, and shows the address.
      PATH: `${noBrowser(place)}:${process.env.PATH}`,
    };
    return [
      {
        what: "signs in with client id and secret",
        async play() {
          writeFileSync(join(place.folder, "opencode.json"), JSON.stringify(settings(place)));
          const terminal = place.open({ file, args: ["mcp", "auth", server], env });
          return signInAt(terminal, place.workspace, (callback) => fetch(callback));
        },
      },
      {
        what: "is connected",
        async play() {
          const { output } = await place.run({ file, args: ["mcp", "list"], env });
          return /archway.*connected/i.test(output) ? undefined : output;
        },
      },
      ...callingSteps(place, {
        by: "as its settings say",
        async output({ tool, input }) {
          const prompt = `Use the tool ${server}_${tool} ${JSON.stringify(input)} once.`;
          return (await place.run({ file, args: ["run", prompt, "--model", "anthropic/claude-sonnet-5-5"], env }))
            .output;
        },
      }),
    ];
  },
};

function settings({ workspace: { gateway, proxy } }: Place) {
  return {
    $schema: "https://opencode.ai/config.json",
    autoupdate: false,
    share: "disabled",
    provider: {
      anthropic: {
        options: { baseURL: `${proxy.baseUrl}/v1`, apiKey: proxy.key },
        models: { "claude-sonnet-5-5": { name: "Sonnet" } },
      },
    },
    mcp: {
      [server]: {
        type: "remote",
        url: gateway.endpoint,
        oauth: { clientId: gateway.client_id, clientSecret: gateway.client_secret },
      },
    },
  };
}

/** A folder whose `xdg-open` and `open` fail. */
function noBrowser({ home }: Place): string {
  const folder = join(home, "no-browser");
  mkdirSync(folder);
  for (const name of ["xdg-open", "open"]) {
    writeFileSync(join(folder, name), "#!/bin/sh\nexit 1\n");
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}
